/** The files of a simulated machine as one of its processes sees them. */
import { basename, dirname } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import { FileError, isNothingThere } from '../file-error.ts';
import { DEFAULT_DEBOUNCE_MS, DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_LIST_ENTRIES, type Files } from '../files.ts';
import { walk } from '../walk.ts';
import type { FileTree } from './file-tree.ts';
import type { Operation } from './operation.ts';
import type { SimulatedProcess } from './process.ts';

export function simulatedFiles(tree: FileTree, process: SimulatedProcess, clock: Clock): Files {
  const files: Files = {
    stat: (path) => look('file.stat', path, () => tree.stat(path)),
    lstat: (path) => look('file.lstat', path, () => tree.lstat(path)),
    readlink: (path) => look('file.readlink', path, () => tree.readlink(path)),
    realpath: (path) => look('file.realpath', path, () => tree.realpath(path)),
    readText: (path, options) =>
      look('file.read', path, () => readText(tree, path, options?.maxBytes ?? DEFAULT_MAX_FILE_BYTES)),
    list: (path, options) =>
      process.perform({ verb: 'file.list', target: path, changes: false }, () =>
        list(tree, path, options?.maxEntries ?? DEFAULT_MAX_LIST_ENTRIES),
      ),
    walk: (directory, options) => walk(files, directory, options),
    writeAtomic: (path, content, options) => change('file.write', path, () => tree.write(path, content, options?.mode)),
    mkdir: (path, options) => change('file.mkdir', path, () => tree.mkdir(path, options?.mode)),
    remove: (path) => change('file.remove', path, () => void ifThere(() => tree.remove(path))),
    watch: (directory, onChange, options) =>
      process.perform({ verb: 'file.watch', target: directory, changes: false }, () => {
        const stop = watchTree(tree, clock, directory, onChange, options?.debounceMs ?? DEFAULT_DEBOUNCE_MS);
        const outlive = process.onDeath(stop);
        const close = () => {
          stop();
          outlive();
        };
        return { close, [Symbol.dispose]: close };
      }),
  };
  return files;

  function look<T>(verb: Operation['verb'], target: string, action: () => T): Promise<T | undefined> {
    return process.perform({ verb, target, changes: false }, () => ifThere(action));
  }

  function change(verb: Operation['verb'], target: string, action: () => void): Promise<void> {
    return process.perform({ verb, target, changes: true }, action);
  }
}

function ifThere<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}

function readText(tree: FileTree, path: string, maxBytes: number): string {
  const bytes = tree.read(path);
  if (bytes.length > maxBytes) throw new FileError('read', path, 'EFBIG');
  return Buffer.from(bytes).toString('utf8');
}

function list(tree: FileTree, path: string, maxEntries: number): readonly string[] {
  const names = tree.list(path);
  if (names.length > maxEntries) throw new FileError('list', path, 'EFBIG');
  return names;
}

/** Gives back how to stop it. */
function watchTree(
  tree: FileTree,
  clock: Clock,
  directory: string,
  onChange: () => void,
  debounceMs: number,
): () => void {
  let cancel: (() => void) | undefined;
  const stopListening = tree.onChange((changed, name) => {
    const watched = ifThere(() => tree.realpath(directory)) ?? directory;
    const itself = changed === dirname(directory) && name === basename(directory);
    if (!itself && changed !== watched && !changed.startsWith(`${watched}/`)) return;
    cancel ??= clock.after(debounceMs, () => {
      cancel = undefined;
      onChange();
    });
  });
  return () => {
    stopListening();
    cancel?.();
  };
}

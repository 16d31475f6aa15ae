/** The file tree of a simulated machine: directories, files, links and device nodes, in memory. */
import { dirname, join } from 'node:path';
import type { DeviceNumber } from '../device-number.ts';
import { FileError } from '../file-error.ts';
import { DEFAULT_DIRECTORY_MODE, DEFAULT_FILE_MODE, type FileStat } from '../files.ts';

type Node = { readonly inode: bigint; readonly mode: number } & (
  | { readonly kind: 'directory'; readonly entries: Map<string, Node> }
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'block-device' | 'character-device'; readonly number: DeviceNumber }
  | { readonly kind: 'fifo' }
);
type Directory = Extract<Node, { kind: 'directory' }>;

/** Where a path ends: in this directory, under this name, whether there is something or not. */
interface Place {
  readonly directory: Directory;
  readonly name: string;
  /** Without links. */
  readonly path: string;
  readonly node: Node | undefined;
}

/** Called with the path of the directory, without links, and the name of the entry that came, went or was replaced. */
export type TreeListener = (directory: string, name: string) => void;

const FILESYSTEM: DeviceNumber = '0:1';
const MAX_LINKS = 40;

export class FileTree {
  #inodes = 1n;
  readonly #root: Directory;
  readonly #listeners = new Set<TreeListener>();

  constructor() {
    this.#root = this.#newDirectory(DEFAULT_DIRECTORY_MODE);
  }

  lstat(path: string): FileStat {
    return statOf(this.#existing('look at', path, false));
  }

  stat(path: string): FileStat {
    return statOf(this.#existing('look at', path, true));
  }

  readlink(path: string): string {
    const node = this.#existing('read the link', path, false);
    if (node.kind !== 'symlink') throw new FileError('read the link', path, 'EINVAL');
    return node.target;
  }

  realpath(path: string): string {
    const place = this.#place('resolve', path, true);
    if (!place.node) throw new FileError('resolve', path, 'ENOENT');
    return place.path;
  }

  read(path: string): Uint8Array {
    const node = this.#existing('read', path, true);
    if (node.kind !== 'file') throw new FileError('read', path, node.kind === 'directory' ? 'EISDIR' : 'EINVAL');
    return node.bytes;
  }

  list(path: string): readonly string[] {
    const node = this.#existing('list', path, true);
    if (node.kind !== 'directory') throw new FileError('list', path, 'ENOTDIR');
    return [...node.entries.keys()].sort();
  }

  /** Puts a file there as a whole, in the place of any file or link. */
  write(path: string, content: string | Uint8Array, mode = DEFAULT_FILE_MODE): void {
    const place = this.#place('write', path, false);
    if (place.node?.kind === 'directory') throw new FileError('write', path, 'EISDIR');
    this.#put(place, { kind: 'file', inode: this.#inode(), mode, bytes: Uint8Array.from(Buffer.from(content)) });
  }

  /** Makes a directory and those above it. */
  mkdir(path: string, mode = DEFAULT_DIRECTORY_MODE): void {
    const names = path.split('/').filter((name) => name !== '');
    for (const depth of names.keys()) {
      const place = this.#place('make the directory', `/${names.slice(0, depth + 1).join('/')}`, true);
      const wrong = depth === names.length - 1 ? 'EEXIST' : 'ENOTDIR';
      if (!place.node) this.#put(place, this.#newDirectory(mode));
      else if (place.node.kind !== 'directory') throw new FileError('make the directory', path, wrong);
    }
  }

  remove(path: string): void {
    const place = this.#place('remove', path, false);
    if (!place.node) throw new FileError('remove', path, 'ENOENT');
    if (place.node.kind === 'directory' && place.node.entries.size > 0)
      throw new FileError('remove', path, 'ENOTEMPTY');
    place.directory.entries.delete(place.name);
    this.#tell(place);
  }

  symlink(target: string, path: string): void {
    this.#put(this.#place('make the link', path, false), {
      kind: 'symlink',
      inode: this.#inode(),
      mode: 0o777,
      target,
    });
  }

  addDevice(path: string, number: DeviceNumber, kind: 'block-device' | 'character-device' = 'block-device'): void {
    this.mkdir(dirname(path));
    this.#put(this.#place('make the device', path, false), { kind, inode: this.#inode(), mode: 0o660, number });
  }

  addFifo(path: string): void {
    this.#put(this.#place('make the FIFO', path, false), { kind: 'fifo', inode: this.#inode(), mode: 0o600 });
  }

  /** Gives back how to stop listening. */
  onChange(listener: TreeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(place: Place, node: Node): void {
    place.directory.entries.set(place.name, node);
    this.#tell(place);
  }

  #tell(place: Place): void {
    for (const listener of this.#listeners) listener(dirname(place.path), place.name);
  }

  #existing(doing: string, path: string, followLast: boolean): Node {
    const { node } = this.#place(doing, path, followLast);
    if (!node) throw new FileError(doing, path, 'ENOENT');
    return node;
  }

  #place(doing: string, path: string, followLast: boolean): Place {
    const fail = (code: string) => new FileError(doing, path, code);
    return this.#follow(path, followLast, fail, MAX_LINKS);
  }

  #follow(path: string, followLast: boolean, fail: (code: string) => FileError, linksLeft: number): Place {
    let place: Place = { directory: this.#root, name: '', path: '/', node: this.#root };
    const above: Place[] = [];
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    for (const [index, name] of names.entries()) {
      if (!place.node) throw fail('ENOENT');
      if (place.node.kind !== 'directory') throw fail('ENOTDIR');
      if (name === '..') {
        place = above.pop() ?? place;
        continue;
      }
      const entry: Place = {
        directory: place.node,
        name,
        path: join(place.path, name),
        node: place.node.entries.get(name),
      };
      const rest = names.slice(index + 1);
      if (entry.node?.kind === 'symlink' && (rest.length > 0 || followLast)) {
        if (linksLeft === 0) throw fail('ELOOP');
        const { target } = entry.node;
        const onward = [target.startsWith('/') ? '' : place.path, target, ...rest].join('/');
        return this.#follow(onward, followLast, fail, linksLeft - 1);
      }
      above.push(place);
      place = entry;
    }
    return place;
  }

  #newDirectory(mode: number): Directory {
    return { kind: 'directory', inode: this.#inode(), mode, entries: new Map() };
  }

  #inode(): bigint {
    return this.#inodes++;
  }
}

function statOf(node: Node): FileStat {
  return {
    kind: node.kind,
    sizeBytes: sizeOf(node),
    mode: node.mode,
    filesystem: FILESYSTEM,
    inode: node.inode,
    ...((node.kind === 'block-device' || node.kind === 'character-device') && { device: node.number }),
  };
}

function sizeOf(node: Node): number {
  if (node.kind === 'file') return node.bytes.length;
  return node.kind === 'symlink' ? Buffer.byteLength(node.target) : 0;
}

/** What is written is read by the tar of this machine. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, link, lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Entry, tar } from './tar.ts';
import { treeOf } from './tree.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-tar-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const common = { mode: 0o644, mtime: 1_700_000_000 };
const file = (path: string, text: string): Entry => ({
  ...common,
  path,
  type: 'file',
  size: Buffer.byteLength(text),
  content: () => Readable.from([Buffer.from(text)]),
});

async function archive(entries: readonly Entry[], name = 'archive.tar'): Promise<string> {
  const out = join(directory, name);
  await pipeline(tar(entries), createWriteStream(out));
  return out;
}

const readTar = (...args: string[]): string => execFileSync('tar', args, { encoding: 'utf8' });

async function unpacked(entries: readonly Entry[]): Promise<string> {
  const into = join(directory, 'unpacked');
  await mkdir(into);
  readTar('-xf', await archive(entries), '-C', into);
  return into;
}

describe('a reader of tar', () => {
  test('finds files, directories and links as they were written', async () => {
    const into = await unpacked([
      { ...common, path: 'bin', type: 'directory', mode: 0o755 },
      file('bin/a', 'one'),
      file('bin/block', 'x'.repeat(512)),
      file('bin/empty', ''),
      { ...common, path: 'bin/same', type: 'hardlink', target: 'bin/a' },
      { ...common, path: 'link', type: 'symlink', target: '/bin/a' },
    ]);
    expect(await readFile(join(into, 'bin/a'), 'utf8')).toBe('one');
    expect(await readFile(join(into, 'bin/block'), 'utf8')).toBe('x'.repeat(512));
    expect(await readFile(join(into, 'bin/empty'), 'utf8')).toBe('');
    expect((await lstat(join(into, 'bin/same'))).ino).toBe((await lstat(join(into, 'bin/a'))).ino);
    expect(await readlink(join(into, 'link'))).toBe('/bin/a');
    expect((await lstat(join(into, 'bin/a'))).mtimeMs).toBe(1_700_000_000_000);
  });

  test('finds owner root, by number, and the modes', async () => {
    const out = await archive([{ ...common, path: 'tmp', type: 'directory', mode: 0o1777 }, file('a', 'b')]);
    expect(readTar('--numeric-owner', '-tvf', out)).toMatch(/^drwxrwxrwt 0\/0 .* tmp\/\n-rw-r--r-- 0\/0 .* a\n$/);
  });

  test.each([
    ['in two parts', `${'directory/'.repeat(12)}name`],
    ['with a long name', `${'n'.repeat(150)}`],
    ['with a part too long for either', `${'p'.repeat(160)}/${'n'.repeat(120)}`],
    ['of exactly a hundred bytes', 'm'.repeat(100)],
    ['in letters of more than a byte', `${'é'.repeat(70)}/Főtanúsítvány`],
  ])('finds a path %s', async (_how, path) => {
    const into = await unpacked([file(path, 'here')]);
    expect(await readFile(join(into, path), 'utf8')).toBe('here');
  });

  test('finds a link to a far away place', async () => {
    const target = `/${'fár/'.repeat(60)}away`;
    const into = await unpacked([{ ...common, path: 'link', type: 'symlink', target }]);
    expect(await readlink(join(into, 'link'))).toBe(target);
  });
});

test('a file that is not as long as it was said to be is an error, not a broken archive', async () => {
  const content = () => Readable.from([Buffer.from('abc')]);
  await expect(archive([{ ...common, path: 'a', type: 'file', size: 4, content }])).rejects.toThrow('has 3 bytes');
});

describe('a tree', () => {
  const make = async (root: string, names: readonly string[]) => {
    for (const name of names) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), name);
    }
  };
  const digestOf = async (root: string) =>
    createHash('sha256')
      .update(await readFile(await archive(treeOf(root, 0), `${Date.now()}.tar`)))
      .digest('hex');

  test('is the same archive in whatever order, and when, it was made', async () => {
    const names = ['b/c', 'a', 'b-c', 'b/a', 'é'];
    await make(join(directory, 'one'), names);
    await make(join(directory, 'two'), names.toReversed());
    expect(await digestOf(join(directory, 'one'))).toBe(await digestOf(join(directory, 'two')));
  });

  test('is another one when a byte, a mode or a name differs', async () => {
    const root = join(directory, 'one');
    await make(root, ['a', 'b']);
    const digests = [await digestOf(root)];
    await writeFile(join(root, 'a'), 'A');
    digests.push(await digestOf(root));
    await chmod(join(root, 'a'), 0o755);
    digests.push(await digestOf(root));
    await symlink('a', join(root, 'c'));
    digests.push(await digestOf(root));
    expect(new Set(digests).size).toBe(digests.length);
  });

  test('does not follow links to directories', async () => {
    const root = join(directory, 'one');
    await make(root, ['usr/bin/a']);
    await symlink('usr/bin', join(root, 'bin'));
    expect(treeOf(root, 0).map(({ path }) => path)).toEqual(['bin', 'usr', 'usr/bin', 'usr/bin/a']);
  });

  test('has no program that gives rights away, and keeps hard links', async () => {
    const root = join(directory, 'one');
    await make(root, ['mount']);
    await chmod(join(root, 'mount'), 0o4755);
    await link(join(root, 'mount'), join(root, 'same'));
    expect(treeOf(root, 7)).toMatchObject([
      { path: 'mount', mode: 0o755, mtime: 7, type: 'file' },
      { path: 'same', type: 'hardlink', target: 'mount' },
    ]);
  });
});

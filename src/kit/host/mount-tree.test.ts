import { describe, expect, it } from 'vitest';
import { MountTree } from './mount-tree.ts';
import { parseMountinfo } from './mounts.ts';

const line = (id: number, parent: number, path: string, source: string): string =>
  `${id} ${parent} 8:${id} / ${path} rw - ext4 ${source} rw\n`;

const HOST = line(22, 1, '/', 'root') + line(30, 22, '/mnt', 'disk') + line(31, 30, '/mnt/pv/a', 'volume');

function sourceAt(path: string, table: string): string | undefined {
  return new MountTree(parseMountinfo(table)).at(path)?.source;
}

describe('a path is on', () => {
  it.each([
    ['/', 'root'],
    ['/etc/fstab', 'root'],
    ['/mnt', 'disk'],
    ['/mnt/pv', 'disk'],
    ['/mnt/pv/a', 'volume'],
    ['/mnt/pv/a/below', 'volume'],
    ['/mnt/pv/ab', 'disk'],
  ])('the mount that is nearest above it: %s on %s', (path, source) => expect(sourceAt(path, HOST)).toBe(source));

  it('the uppermost of several', () => {
    const stacked = HOST + line(40, 31, '/mnt/pv/a', 'over-it') + line(41, 40, '/mnt/pv/a', 'over-both');
    expect(sourceAt('/mnt/pv/a', stacked)).toBe('over-both');
  });

  it('what was mounted over a directory above, and not on what that hides', () => {
    expect(sourceAt('/mnt/pv/a', HOST + line(40, 30, '/mnt/pv', 'cover'))).toBe('cover');
    expect(sourceAt('/mnt/pv/a', HOST + line(40, 30, '/mnt', 'cover'))).toBe('cover');
    expect(
      sourceAt('/mnt/pv/a', `${HOST}${line(40, 30, '/mnt/pv', 'cover')}${line(41, 40, '/mnt/pv/a', 'again')}`),
    ).toBe('again');
  });

  it('what hides a cover in its turn', () => {
    const twice =
      HOST + line(40, 30, '/mnt/pv', 'cover') + line(41, 30, '/mnt', 'upper') + line(42, 41, '/mnt/pv/a', 'new');
    expect(sourceAt('/mnt/pv/a', twice)).toBe('new');
    expect(sourceAt('/mnt/pv', twice)).toBe('upper');
  });

  it('the same root as before when something is mounted over that', () =>
    expect(sourceAt('/mnt/pv/a', HOST + line(40, 22, '/', 'over-the-root'))).toBe('volume'));

  it('nothing of a table without a root, as behind a chroot, but on what is mounted there', () => {
    const behind = line(31, 30, '/mnt/pv/a', 'volume');
    expect(sourceAt('/mnt/pv', behind)).toBeUndefined();
    expect(sourceAt('/mnt/pv/a', behind)).toBe('volume');
  });
});

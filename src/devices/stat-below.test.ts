import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { FileStat } from '../kit/host/files.ts';
import { realFiles } from '../kit/host/real-files.ts';
import { statBelow } from './stat-below.ts';

const files = realFiles(new VirtualClock(), Math.random);
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'root-'));
  await mkdir(join(root, 'dev/disk/by-id'), { recursive: true });
  await writeFile(join(root, 'dev/sdb'), 'a disk');
});

afterEach(() => rm(root, { recursive: true }));

const link = (target: string, path: string) => symlink(target, join(root, path));
const isTheDisk = async (found: FileStat | undefined) =>
  found !== undefined && found.inode === (await files.stat(join(root, 'dev/sdb')))?.inode;

describe('a path below another root', () => {
  it.each([
    ['/dev/sdb'],
    ['/dev/./disk//../sdb'],
    ['/dev/disk/by-id/relative'],
    ['/dev/disk/by-id/absolute'],
    ['/dev/disk/by-id/chain'],
    ['/disks/sdb'],
    ['/../../dev/sdb'],
    ['/dev/disk/by-id/above'],
  ])('leads where it does for who has that root: %s', async (path) => {
    await link('../../sdb', 'dev/disk/by-id/relative');
    await link('/dev/sdb', 'dev/disk/by-id/absolute');
    await link('/dev/disk/by-id/absolute', 'dev/disk/by-id/chain');
    await link('/dev', 'disks');
    await link('../../../../../../dev/sdb', 'dev/disk/by-id/above');
    expect(await isTheDisk(await statBelow(files, root, path))).toBe(true);
  });

  it.each([['/dev/sdc'], ['/dev/dangling'], ['/dev/sdb/below-a-file'], ['/gone/sdb']])(
    'leads nowhere when nothing is there: %s',
    async (path) => {
      await link('/dev/nothing', 'dev/dangling');
      expect(await statBelow(files, root, path)).toBeUndefined();
    },
  );

  it('that ends in a directory is that', async () => {
    await link('..', 'dev/up');
    for (const path of ['/', '/dev/up', '/dev/disk/..'])
      expect(await statBelow(files, root, path)).toMatchObject({ kind: 'directory' });
  });

  it('that leads in a circle is not known', async () => {
    await link('/dev/b', 'dev/a');
    await link('a', 'dev/b');
    await expect(statBelow(files, root, '/dev/a')).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

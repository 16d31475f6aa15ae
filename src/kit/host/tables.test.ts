import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { realHost } from './host.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tables-'));
});
afterEach(() => rm(root, { recursive: true }));

describe('the mounts', () => {
  it('are those of this process unless another is asked for', async () => {
    await put('proc/self/mountinfo', '1 0 8:1 / /ours rw - ext4 /dev/sda1 rw\n');
    await put('proc/1/mountinfo', '1 0 8:1 / /hosts rw - ext4 /dev/sda1 rw\n');
    expect(await tables().mounts()).toMatchObject([{ mountPoint: '/ours' }]);
    expect(await tables().mounts({ pid: 1 })).toMatchObject([{ mountPoint: '/hosts' }]);
  });

  it('of a process that is gone are unknown, not none', async () => {
    await expect(tables().mounts({ pid: 4 })).rejects.toMatchObject({ name: 'FileError', code: 'ENOENT' });
  });
});

describe('the swap areas', () => {
  it('are unknown, not none, when the table is not there', async () => {
    await expect(tables().swaps()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the loop devices', () => {
  it('are those with something behind them, looked up as the host sees it', async () => {
    await loop('loop0', '7:0', '/images/a b.img');
    await loop('loop1', '7:1', '/images/gone.img (deleted)');
    await put('sys/block/loop2/dev', '7:2\n');
    await put('sys/block/sda/dev', '8:0\n');
    await put('host/images/a b.img', '');
    await put('host/images/gone.img (deleted)', 'looks like it');
    expect(await tables().loops()).toEqual([
      { name: 'loop0', number: '7:0', backingFile: '/images/a b.img', backing: { kind: 'file' } },
      {
        name: 'loop1',
        number: '7:1',
        backingFile: '/images/gone.img (deleted)',
        backing: { kind: 'unknown', reason: expect.stringMatching(/gone\.img was deleted$/) },
      },
    ]);
  });

  it('have something unknown behind them when it cannot be looked at, or is of no known kind', async () => {
    await loop('loop0', '7:0', '/circle');
    await loop('loop1', '7:1', '/directory');
    await mkdir(join(root, 'host/directory'), { recursive: true });
    await symlink('circle', join(root, 'host/circle'));
    const kinds = (await tables().loops()).map(({ backing }) => backing.kind);
    expect(kinds).toEqual(['unknown', 'unknown']);
  });

  it('are unknown as a whole when one of them has no number', async () => {
    await put('sys/block/loop0/loop/backing_file', '/a\n');
    await expect(tables().loops()).rejects.toMatchObject({ name: 'FileError' });
  });
});

function tables() {
  const roots = { procRoot: join(root, 'proc'), sysRoot: join(root, 'sys'), hostRoot: join(root, 'host') };
  return realHost({ clock: systemClock, ...roots }).tables;
}

async function loop(name: string, number: string, backingFile: string): Promise<void> {
  await put(`sys/block/${name}/dev`, `${number}\n`);
  await put(`sys/block/${name}/loop/backing_file`, `${backingFile}\n`);
}

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

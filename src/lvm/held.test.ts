import { describe, expect, it } from 'vitest';
import { CommandError } from '../kit/host/command.ts';
import { deviceError } from '../kit/host/device-error.ts';
import type { Holders } from '../kit/host/holders.ts';
import { Held, inWords, unlessHeld } from './held.ts';

const output = (stderr: string) => ({ stdout: '', stderr, truncated: { stdout: false, stderr: false } });
const failing = (argv: readonly string[], stderr: string) =>
  new CommandError(argv, { kind: 'exited', code: 32 }, output(stderr));
const postgres = { pid: 4711, command: 'postgres', holds: ['working directory', 'open file'] } as const;
const seen = (holders: Holders['holders'], unseen: readonly string[] = []): Holders => ({ holders, unseen });

const attempt = (error: Error, find: () => Promise<Holders>) =>
  unlessHeld('/mnt/pv/data', ['253:3'], find, () => Promise.reject(error));

describe('what is held', () => {
  it.each([
    failing(['umount', '/mnt/pv/data'], 'umount: /mnt/pv/data: target is busy.'),
    failing(['lvremove'], '  Logical volume storage_bulk/data contains a filesystem in use.'),
    failing(['lvremove'], '  Logical volume storage_bulk/data is used by another device.'),
    failing(['cryptsetup', 'close', 'x'], 'Device x is still in use.'),
    deviceError('open', '/dev/storage_bulk/data', 'EBUSY'),
  ])('is told with who holds it: $message', async (error) => {
    const failed = attempt(error, async () => seen([postgres]));
    await expect(failed).rejects.toBeInstanceOf(Held);
    await expect(failed).rejects.toThrow(
      '/mnt/pv/data is in use: held by process 4711 (postgres: working directory, open file)',
    );
  });

  it('is not asked for when it failed for another reason', async () => {
    const error = failing(['umount'], 'umount: /mnt/pv/data: not mounted.');
    const find = () => Promise.reject(new Error('nobody should ask'));
    await expect(attempt(error, find)).rejects.toBe(error);
  });

  it('is told also when nobody can tell by whom', async () => {
    const error = failing(['umount'], 'target is busy');
    await expect(attempt(error, () => Promise.reject(new Error('no /proc')))).rejects.toThrow(
      '/mnt/pv/data is in use: by whom cannot be told (no /proc)',
    );
  });
});

describe('those who hold something', () => {
  it('are not all named when there are many', () => {
    const many = Array.from({ length: 5 }, (_, index) => ({ ...postgres, pid: index + 1 }));
    expect(inWords(seen(many))).toMatch(/^held by process 1 .*, process 2 .*, process 3 \(.*\) and 2 more$/);
  });
  it('are those who use it before those who only have it among their mounts', () => {
    const udevd = { pid: 1, command: 'systemd-udevd', holds: ['mount'] } as const;
    expect(inWords(seen([udevd, postgres]))).toMatch(/^held by process 4711 .*, process 1 /);
  });
  it('are nobody, or nobody that can be seen', () => {
    expect(inWords(seen([]))).toBe('no process is seen that holds it, so the kernel itself may');
    expect(inWords(seen([], ['it needs hostPID', 'b']))).toBe(
      'no process is seen that holds it; not everything could be seen: it needs hostPID and 1 more',
    );
    expect(inWords(seen([postgres], ['it needs hostPID']))).toMatch(/^held by .*; not everything could be seen/);
  });
});

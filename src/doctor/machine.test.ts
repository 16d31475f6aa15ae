import { describe, expect, test } from 'vitest';
import type { Known } from '../kit/known.ts';
import { seen, told } from './builders.ts';
import { everythingBelongsToAVolume, kernelHasItsModules, toolsAreInstalled } from './checks/machine.ts';
import { lookAtMachine, type Machine } from './machine.ts';
import { TOOLS } from './needs.ts';

const NOTHING_LEFT = seen({ orphans: [], trash: [] });
const FILES: Readonly<Record<string, string>> = {
  '/proc/sys/kernel/osrelease': '6.1.0-1-amd64\n',
  '/proc/modules': 'dm_mod 184320 9 dm_crypt, Live 0x0\next4 999424 1 - Live 0x0\n',
  '/host/lib/modules/6.1.0-1-amd64/modules.builtin': 'kernel/drivers/md/dm-crypt.ko\n',
  '/host/lib/modules/6.1.0-1-amd64/modules.dep':
    'kernel/fs/xfs/xfs.ko.xz:\nkernel/drivers/md/dm-thin-pool.ko: x\nkernel/drivers/md/dm-snapshot.ko:\n',
  '/sys/module/loop': '',
};

interface Parts {
  readonly files?: Readonly<Record<string, string | Error>>;
  readonly isInstalled?: (name: string) => Promise<boolean>;
  readonly jobs?: readonly string[];
  readonly left?: Machine['left'];
}

function aMachine({
  files = FILES,
  isInstalled = async () => true,
  jobs = ['devices', 'lvm'],
  left = NOTHING_LEFT,
}: Parts) {
  const read = async (path: string) => {
    const content = files[path];
    if (content instanceof Error) throw content;
    return content;
  };
  const stat = async (path: string) =>
    (await read(path)) === undefined ? undefined : ({ kind: 'directory' } as never);
  return lookAtMachine({ jobs, commands: { isInstalled }, files: { readText: read, stat }, root: '/host', left });
}

describe('programs', () => {
  test('that are all there are well', async () => {
    expect(toolsAreInstalled.judge(await aMachine({})).is).toBe('ok');
  });

  test('that are missing are told, and what they are for', async () => {
    const isInstalled = async (name: string) => name !== 'lvm' && name !== 'mkfs.xfs';
    expect(told(toolsAreInstalled.judge(await aMachine({ isInstalled })))).toEqual([
      'error: program lvm: it is not installed on this machine; it is needed for making logical volumes',
      'warning: program mkfs.xfs: it is not installed on this machine; it is needed for volumes with xfs',
    ]);
  });

  test('that cannot be looked for are unknown', async () => {
    const isInstalled = async () => Promise.reject(new Error('/proc/1/root may not be read'));
    expect(toolsAreInstalled.judge(await aMachine({ isInstalled })).is).toBe('unknown');
  });

  test('of a job that does not run here are not looked for', async () => {
    const asked: string[] = [];
    await aMachine({ jobs: ['devices'], isInstalled: async (name) => asked.push(name) > 0 });
    expect(asked).not.toContain('lvm');
    expect(asked.length).toBeLessThan(TOOLS.length);
  });
});

describe('modules of the kernel', () => {
  const stateOf = async (name: string, parts: Parts = {}): Promise<Known<unknown> | undefined> =>
    (await aMachine(parts)).modules.get(name);

  test.each([
    ['dm_mod', 'loaded'],
    ['dm_crypt', 'built-in'],
    ['loop', 'built-in'],
    ['xfs', 'can-be-loaded'],
    ['dm_thin_pool', 'can-be-loaded'],
    ['btrfs', 'absent'],
  ])('%s is %s', async (name, state) => {
    expect(await stateOf(name)).toEqual(seen(state));
  });

  test('that are missing are told', async () => {
    expect(told(kernelHasItsModules.judge(await aMachine({})))).toEqual([
      'warning: kernel module btrfs: the kernel of this machine has none, built in or to be loaded; it is needed for volumes with btrfs',
    ]);
    const modules = new Map([['dm_mod', seen('absent' as const)]]);
    expect(told(kernelHasItsModules.judge({ ...(await aMachine({})), modules }))[0]).toMatch(/^error: /);
  });

  test('cannot be told without the list of what is built in, nor where it may not be read', async () => {
    const files = { '/proc/sys/kernel/osrelease': '6.1.0\n' };
    expect(await stateOf('btrfs', { files })).toEqual({
      known: false,
      why: 'there is no list of what the kernel 6.1.0 has built in',
    });
    expect(kernelHasItsModules.judge(await aMachine({ files })).is).toBe('unknown');
    const denied = { ...FILES, '/proc/modules': new Error('EACCES') };
    expect(kernelHasItsModules.judge(await aMachine({ files: denied })).is).toBe('unknown');
  });
});

describe('what is left on a machine', () => {
  test('is told: what belongs to nobody, and what is in the trash', async () => {
    const left = seen({ orphans: ['storage/data'], trash: ['storage/old has been in the trash since May'] });
    expect(told(everythingBelongsToAVolume.judge(await aMachine({ left })))).toEqual([
      'warning: this machine: storage/data: it belongs to no volume',
      'info: trash of this machine: storage/old has been in the trash since May',
    ]);
  });

  test('is unknown where it cannot be looked at, and no matter where lvm does not run', async () => {
    const left = { known: false, why: 'no LVM' } as const;
    expect(everythingBelongsToAVolume.judge(await aMachine({ left })).is).toBe('unknown');
    expect(everythingBelongsToAVolume.judge(await aMachine({ left, jobs: ['devices'] })).is).toBe('ok');
    expect(everythingBelongsToAVolume.judge(await aMachine({})).is).toBe('ok');
  });
});

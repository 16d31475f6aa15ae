import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutated } from '../../../test/arbitraries/mutation.ts';
import { FILE_SYSTEMS, type FileSystem } from '../contract.ts';
import { readMountOptions } from './mount.ts';

const GOOD: readonly (readonly [FileSystem, string])[] = [
  ['ext4', 'noexec'],
  ['ext4', 'noatime,nodiratime'],
  ['ext4', 'defaults,noatime,discard,nodev,nosuid,exec'],
  ['ext4', 'data=writeback,barrier=0,commit=60'],
  ['ext4', 'errors=remount-ro,init_itable=10'],
  ['ext4', 'context=system_u:object_r:container_file_t:s0'],
  ['ext3', 'data=journal,usrjquota=aquota.user,jqfmt=vfsv0'],
  ['ext2', 'ro,acl'],
  ['xfs', 'noatime,inode64,logbsize=256k,logbufs=8,allocsize=1m,pquota'],
  ['btrfs', 'compress=zstd:3,space_cache=v2,discard=async,ssd'],
  ['btrfs', 'compress-force=lzo,discard'],
];

const faultOf = (fsType: FileSystem, text: string): string => {
  const { faults } = readMountOptions(fsType, text);
  expect(faults).toHaveLength(1);
  return faults[0] ?? '';
};

describe('a volume', () => {
  test.each(GOOD)('with %s is mounted with %s', (fsType, text) => {
    expect(readMountOptions(fsType, text)).toEqual({ options: text.split(','), faults: [] });
  });

  test('can be mounted without options', () => {
    expect(readMountOptions('ext4', '')).toEqual({ options: [], faults: [] });
  });

  test('has each option once', () => {
    expect(readMountOptions('ext4', 'noatime,noexec,noatime').options).toEqual(['noatime', 'noexec']);
  });

  test.each<readonly [FileSystem, string, string]>([
    ['ext4', 'bind', '"bind" (mounts something else than the volume)'],
    ['ext4', 'remount', '"remount" (mounts something else'],
    ['ext4', 'loop=/dev/loop0', '"loop=/dev/loop0" (mounts something else'],
    ['ext4', 'user', '"user" (lets others than root mount it)'],
    ['ext4', 'suid', '"suid" (lets what is in a volume act on the node)'],
    ['ext4', 'dev', '"dev" (lets what is in a volume act on the node)'],
    ['ext4', 'noauto', 'that is for the agent to say'],
    ['ext4', 'x-systemd.automount', '"x-systemd.automount" (is for other programs'],
    ['ext4', 'X-mount.mkdir=0777', '"X-mount.mkdir=0777" (is for other programs'],
    ['ext4', 'rshared', 'changes who else sees the mount'],
    ['ext4', 'errors=panic', 'it lets a broken volume stop the whole node; errors takes one of continue, remount-ro'],
    ['ext4', 'sb=131072', '"sb=131072" (lets whoever writes'],
    ['ext4', 'journal_path=/dev/sda', '"journal_path=/dev/sda" (reaches for another device)'],
    ['ext4', 'usrjquota=../../etc/passwd', 'usrjquota takes aquota.user'],
    ['ext4', 'context=system_u:object_r:bin_t:s0', 'context takes one of system_u:object_r:container_file_t:s0'],
    ['ext4', 'context="system_u:object_r:container_file_t:s0:c1', 'context takes one of'],
    ['ext4', 'fscontext=x', 'changes what SELinux allows'],
    ['ext4', 'compress=zstd', '"compress=zstd": with ext4, mount takes defaults, ro,'],
    ['ext4', 'noexec=1', 'noexec takes no value'],
    ['ext4', 'data', 'data takes one of journal'],
    ['ext4', 'commit=-1', 'commit takes a whole number from 0 to 3600'],
    ['ext4', 'noexec noatime', '"noexec noatime"'],
    ['ext4', 'noexec, noatime', '" noatime"'],
    ['ext4', 'noexec,', '""'],
    ['ext4', ',', '""'],
    ['ext4', 'NOEXEC', '"NOEXEC"'],
    ['ext4', 'exec,noexec', 'cannot have both "exec" and "noexec"'],
    ['ext4', 'noexec,exec', 'cannot have both "noexec" and "exec"'],
    ['ext4', 'ro,rw', 'cannot have both "ro" and "rw"'],
    ['ext4', 'barrier=1,nobarrier', 'cannot have both "barrier=1" and "nobarrier"'],
    ['ext4', 'commit=1,commit=2', 'cannot have both "commit=1" and "commit=2"'],
    ['ext4', 'noatime,strictatime', 'cannot have both'],
    ['ext2', 'data=journal', '"data=journal": with ext2'],
    ['xfs', 'logdev=/dev/sda', '"logdev=/dev/sda" (reaches for another device)'],
    ['xfs', 'nouuid', '"nouuid" (is for copies'],
    ['xfs', 'logbufs=9', 'logbufs takes a whole number from 2 to 8'],
    ['xfs', 'allocsize=1x', 'allocsize takes a whole number, with one of k m g after it'],
    ['btrfs', 'device=/dev/sda', '"device=/dev/sda" (reaches for another device)'],
    ['btrfs', 'subvol=/../x', '"subvol=/../x" (mounts a part'],
    ['btrfs', 'fatal_errors=panic', 'stop the whole node'],
    ['btrfs', 'compress=zstd:16', 'compress takes one of zlib[:1-9], lzo, zstd[:1-15]'],
    ['btrfs', 'compress=lzo:1', 'compress takes one of'],
    ['btrfs', 'compress=zstd:3:3', 'compress takes one of'],
    ['btrfs', 'compress=constructor', 'compress takes one of'],
  ])('with %s is not mounted with %s', (fsType, text, why) => {
    expect(faultOf(fsType, text)).toContain(why);
  });

  test('has all that is wrong told at once', () => {
    const { faults } = readMountOptions('ext4', 'bind,user,commit=x,exec,noexec');
    expect(faults).toEqual([
      expect.stringMatching(/^cannot have "bind" \(.*\), "user" \(.*\): with ext4, mount takes /),
      'cannot have "commit=x": commit takes a whole number from 0 to 3600',
      'cannot have both "exec" and "noexec"',
    ]);
  });

  test('is mounted with nothing that names a file or a device, whatever the text is', () => {
    const texts = fc.oneof(
      mutated(fc.constantFrom(...GOOD.map(([, text]) => text)), ',=/.:-xX@ \n\0;$("\'0é'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...FILE_SYSTEMS), texts, (fsType, text) => {
        const { options, faults } = readMountOptions(fsType, text);
        if (faults.length === 0) for (const option of options) expect(option).toMatch(/^[a-z][\w-]*(=[\w.:-]+)?$/);
      }),
      { numRuns: 2000 },
    );
  });
});

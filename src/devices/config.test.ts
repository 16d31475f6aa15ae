import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { parseConfig } from './config.ts';

type Data = Readonly<Record<string, string>>;

const block = { deviceDir: '/dev/disk/by-path/', deviceNameFilter: '.*', volumeMode: 'Block' };
const filesystem = { ...block, volumeMode: 'Filesystem', fsType: 'ext4' };

const faultsOf = (data: Data | undefined): readonly string[] => {
  const parsed = parseConfig(data);
  return 'faults' in parsed ? parsed.faults : [];
};
function parsed(data: Data) {
  const outcome = parseConfig(data);
  if ('faults' in outcome) throw new Error(outcome.faults.join('; '));
  return outcome;
}

describe('a ConfigMap that is right', () => {
  test('with the least that is needed, gets the defaults', () => {
    expect(parsed(block)).toMatchObject({
      config: {
        ...block,
        storageClassName: 'local-storage',
        wipeMethod: 'zero-head',
        wipeVerify: 'sample',
        wipeExisting: false,
      },
      warnings: [],
    });
    expect(parsed(block).config).not.toHaveProperty('fsType');
  });

  test('with everything in it, is taken as it is written', () => {
    const data = {
      ...filesystem,
      storageClassName: 'fast',
      wipeMethod: 'discard',
      wipeVerify: 'all',
      wipeExisting: 'true',
    };
    expect(parsed(data).config).toEqual({ ...data, wipeExisting: true });
  });

  test.each(['ext4', 'xfs', 'btrfs'])('may ask for %s', (fsType) => {
    expect(parsed({ ...filesystem, fsType }).config).toMatchObject({ fsType });
  });

  test.each(['ext4', 'ntfs', ''])(
    'may name a filesystem (%j) beside Block: it is ignored, with a warning',
    (fsType) => {
      const { config, warnings } = parsed({ ...block, fsType });
      expect(config).not.toHaveProperty('fsType');
      expect(warnings).toEqual(['fsType is ignored, since volumeMode is Block']);
    },
  );

  test.each(['/dev', '/dev/disk/by-path', '/dev/disk/by-path//', '/data/...', '/procs'])(
    'may look for devices in %s',
    (deviceDir) => {
      expect(parsed({ ...block, deviceDir }).config.deviceDir).toBe(deviceDir);
    },
  );

  test('gives a filter that is tried anywhere in a name', () => {
    const { accepts } = parsed({ ...block, deviceNameFilter: 'ata-[12]' });
    expect(['pci-0-ata-1', 'ata-2.5', 'ata-3', 'ATA-1'].map(accepts)).toEqual([true, true, false, false]);
  });
});

const DIRECTORY = 'it is the absolute path of a directory with devices, such as /dev/disk/by-path';
const FILTER =
  'it is a regular expression in the syntax of Go (RE2), without lookahead, lookbehind and backreferences, and ".*" takes every device';

describe('a ConfigMap that is wrong', () => {
  test.each<[string, Data, string]>([
    ['no directory', without(block, 'deviceDir'), `deviceDir is missing: ${DIRECTORY}`],
    ['an empty directory', { ...block, deviceDir: '' }, `deviceDir cannot be "" (it is empty): ${DIRECTORY}`],
    [
      'a path that is not absolute',
      { ...block, deviceDir: 'dev/disk' },
      `deviceDir cannot be "dev/disk" (it does not begin with a slash): ${DIRECTORY}`,
    ],
    [
      'the root',
      { ...block, deviceDir: '//' },
      `deviceDir cannot be "//" (that is the whole file system): ${DIRECTORY}`,
    ],
    ...['/dev/../etc', '/dev/./disk', '/dev//disk', '/..'].map((deviceDir): [string, Data, string] => [
      `a way around (${deviceDir})`,
      { ...block, deviceDir },
      `deviceDir cannot be "${deviceDir}" (it has an empty name, "." or ".." in it): ${DIRECTORY}`,
    ]),
    [
      'a NUL in the directory',
      { ...block, deviceDir: '/dev/\0' },
      `deviceDir cannot be "/dev/\\u0000" (it has a line break or another control character in it): ${DIRECTORY}`,
    ],
    [
      'a directory with a line break, as a block of YAML has',
      { ...block, deviceDir: '/dev/disk\n' },
      `deviceDir cannot be "/dev/disk\\n" (it has a line break or another control character in it): ${DIRECTORY}`,
    ],
    [
      'a directory of the kernel',
      { ...block, deviceDir: '/proc/1/fd' },
      `deviceDir cannot be "/proc/1/fd" (there are no devices in /proc, only links that come and go): ${DIRECTORY}`,
    ],
    ['no filter', without(block, 'deviceNameFilter'), `deviceNameFilter is missing: ${FILTER}`],
    ['an empty filter', { ...block, deviceNameFilter: '' }, `deviceNameFilter is empty: ${FILTER}`],
    [
      'a filter with a line break',
      { ...block, deviceNameFilter: 'sd.*\n' },
      `deviceNameFilter cannot be "sd.*\\n" (it has a line break or another control character in it): ${FILTER}`,
    ],
    [
      'a filter that is not closed',
      { ...block, deviceNameFilter: '(sd' },
      `deviceNameFilter cannot be "(sd" (error parsing regexp: missing closing ): \`(sd\`): ${FILTER}`,
    ],
    [
      'a filter that looks ahead',
      { ...block, deviceNameFilter: '(?!sda)' },
      `deviceNameFilter cannot be "(?!sda)" (error parsing regexp: invalid or unsupported Perl syntax: \`(?!\`): ${FILTER}`,
    ],
    ['no volume mode', without(block, 'volumeMode'), 'volumeMode is missing: it is one of Filesystem, Block'],
    [
      'another volume mode',
      { ...block, volumeMode: 'block' },
      'volumeMode cannot be "block": it is one of Filesystem, Block',
    ],
    ['no filesystem', without(filesystem, 'fsType'), 'fsType is missing: it is one of ext4, xfs, btrfs'],
    ['another filesystem', { ...filesystem, fsType: 'ntfs' }, 'fsType cannot be "ntfs": it is one of ext4, xfs, btrfs'],
    [
      'a class that is no name',
      { ...block, storageClassName: 'Fast' },
      'storageClassName cannot be used ("Fast" is not a DNS name: "F" is not allowed, only lower-case letters, digits and "-"): it is the name of a StorageClass, or is left out for local-storage',
    ],
    [
      'an empty class',
      { ...block, storageClassName: '' },
      'storageClassName cannot be used ("" is not a DNS name: it is empty): it is the name of a StorageClass, or is left out for local-storage',
    ],
    [
      'another method',
      { ...block, wipeMethod: 'shred' },
      'wipeMethod cannot be "shred": it is one of zero-head, zero-all, discard, random-all',
    ],
    ['another check', { ...block, wipeVerify: 'none' }, 'wipeVerify cannot be "none": it is one of sample, all'],
    ['neither yes nor no', { ...block, wipeExisting: 'yes' }, 'wipeExisting cannot be "yes": it is one of true, false'],
    [
      'a key that is misspelled',
      { ...block, wipeexisting: 'true' },
      '"wipeexisting" is not a key: the keys are deviceDir, deviceNameFilter, volumeMode, fsType, storageClassName, wipeMethod, wipeVerify, wipeExisting',
    ],
  ])('with %s is told what is allowed', (_what, data, fault) => {
    expect(faultsOf(data)).toEqual([fault]);
  });

  test('in every way is told every one of them', () => {
    const wrong = {
      deviceDir: 'x',
      deviceNameFilter: '[',
      volumeMode: 'x',
      storageClassName: '_',
      wipeMethod: 'x',
      wipeVerify: 'x',
      wipeExisting: 'x',
      x: 'x',
    };
    expect(faultsOf(wrong)).toHaveLength(8);
  });

  test.each([[undefined], [{}]])('since it is empty (%j) is told what is needed', (data) => {
    expect(faultsOf(data).map((fault) => fault.split(' ', 1)[0])).toEqual([
      'deviceDir',
      'deviceNameFilter',
      'volumeMode',
    ]);
  });

  test('with a directory longer than any path is told so', () => {
    expect(faultsOf({ ...block, deviceDir: `/${'ü'.repeat(1_920)}` })[0]).toContain(
      'it is longer than the system takes',
    );
    expect(faultsOf({ ...block, deviceDir: `/${'ü'.repeat(1_900)}` })).toEqual([]);
  });

  test('with keys that every object has is told like any other', () => {
    for (const key of ['constructor', 'toString', '__proto__'])
      expect(faultsOf(Object.fromEntries([...Object.entries(block), [key, 'x']]))).toHaveLength(1);
  });

  test('in whatever way is never taken for right, and never throws', () => {
    const keys = fc.constantFrom(...Object.keys(filesystem), 'wipeMethod', 'storageClassName', 'other');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.string({ unit: anyCharacter })), (edits) => {
        const outcome = parseConfig({ ...filesystem, ...edits });
        if ('faults' in outcome) expect(outcome.faults.length).toBeGreaterThan(0);
        else expect(outcome.config).toMatchObject({ ...filesystem, ...edits });
      }),
    );
  });
});

function without(data: Data, key: string): Data {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== key));
}

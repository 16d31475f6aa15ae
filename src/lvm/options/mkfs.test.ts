import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutated } from '../../../test/arbitraries/mutation.ts';
import { FILE_SYSTEMS, type FileSystem } from '../contract.ts';
import { readMkfsOptions } from './mkfs.ts';

const argsOf = (fsType: FileSystem, text: string): readonly string[] => {
  const { args, faults } = readMkfsOptions(fsType, text);
  expect(faults).toEqual([]);
  return args;
};

const faultOf = (fsType: FileSystem, text: string): string => {
  const { faults } = readMkfsOptions(fsType, text);
  expect(faults).toHaveLength(1);
  return faults[0] ?? '';
};

const GOOD: readonly (readonly [FileSystem, string, readonly string[]])[] = [
  ['ext4', '', []],
  ['ext4', '   ', []],
  ['ext4', '-m 0', ['-m', '0']],
  ['ext4', '-m0', ['-m', '0']],
  ['ext4', '-m 0.5', ['-m', '0.5']],
  ['ext4', '-i 65536', ['-i', '65536']],
  ['ext4', '-i 64k', ['-i', '64k']],
  ['ext4', '-E lazy_itable_init=0', ['-E', 'lazy_itable_init=0']],
  ['ext4', '-Elazy_itable_init=0,lazy_journal_init', ['-E', 'lazy_itable_init=0,lazy_journal_init']],
  ['ext4', '  -m 1   -T largefile4  ', ['-m', '1', '-T', 'largefile4']],
  [
    'ext4',
    '-E stride=16,stripe-width=64,root_owner=1000:1000',
    ['-E', 'stride=16,stripe-width=64,root_owner=1000:1000'],
  ],
  ['ext4', '-O ^has_journal,project -q', ['-O', '^has_journal,project', '-q']],
  ['ext4', '-J size=128', ['-J', 'size=128']],
  ['ext4', '-L pv-data', ['-L', 'pv-data']],
  ['ext3', '-j -O dir_index', ['-j', '-O', 'dir_index']],
  ['ext2', '-b 1024', ['-b', '1024']],
  ['xfs', '-d agcount=4,su=64k,sw=2 -i size=512', ['-d', 'agcount=4,su=64k,sw=2', '-i', 'size=512']],
  ['xfs', '-l internal,size=64m -K', ['-l', 'internal,size=64m', '-K']],
  ['xfs', '-n ftype=1 -m crc=1,reflink=0', ['-n', 'ftype=1', '-m', 'crc=1,reflink=0']],
  ['btrfs', '-m dup -d single', ['-m', 'dup', '-d', 'single']],
  ['btrfs', '--metadata=dup --data single --mixed', ['-m', 'dup', '-d', 'single', '-M']],
  ['btrfs', '--csum xxhash -O ^extref -R quota', ['--csum', 'xxhash', '-O', '^extref', '-R', 'quota']],
];

describe('mkfs', () => {
  test.each(GOOD)('of %s is given %j', (fsType, text, args) => {
    expect(argsOf(fsType, text)).toEqual(args);
  });

  test.each<readonly [FileSystem, string, string]>([
    ['ext4', '-d /etc', '"-d" (copies files of the node into the volume)'],
    ['ext4', '-d/etc', '"-d/etc" (copies files of the node into the volume)'],
    ['ext4', '-l /etc/shadow', '"-l" (reads a file of the node)'],
    ['ext4', '-z /root/undo', '"-z" (writes a file on the node)'],
    ['ext4', '-J device=/dev/sda', '"device" reaches for another device'],
    ['ext4', '-J size=64,device=UUID=x', '"device" reaches for another device'],
    ['ext4', '-F', '"-F" (forces mkfs'],
    ['ext4', '-FF', '"-FF" (forces mkfs'],
    ['ext4', '-qF', '-q takes no value, and each option stands by itself'],
    ['ext4', '-S', '"-S" (leaves in the volume what was on the disk before)'],
    ['ext4', '-n', '"-n" (makes no filesystem)'],
    ['ext4', '-t xfs', 'that is for fsType to say'],
    ['ext4', '-U 11111111-2222-3333-4444-555555555555', '"-U" (says which UUID'],
    ['ext4', '-e panic', 'it lets a broken volume stop the whole node; -e takes one of continue, remount-ro'],
    ['ext4', '-E offset=1', '"offset" says how large'],
    ['ext4', '-E assume_storage_prezeroed=1', '"assume_storage_prezeroed" takes what was on the disk before for empty'],
    ['ext4', '-E lazy_itable_init=2', '-E.lazy_itable_init takes one of 0, 1'],
    ['ext4', '-E stride', '-E.stride takes a whole number'],
    ['ext4', '-E discard=1', '-E.discard takes no value'],
    ['ext4', '-E nodiscard,nodiscard', '"nodiscard" is there twice'],
    ['ext4', '-E stripe_width=1,stripe-width=2', '"stripe_width" is there twice'],
    ['ext4', '-E', '"-E" at the end, without its value'],
    ['ext4', '-E ,', '"" is unknown; -E takes a list with commas of stride=…, stripe_width=…'],
    ['ext4', '-O ^extent', '"^extent" is unknown'],
    ['ext4', '-O journal_dev', '"journal_dev" makes no filesystem'],
    ['ext4', '-O bigalloc', '"bigalloc" keeps the volume from growing'],
    ['ext4', '-O none', '"none" is unknown; -O takes a list with commas of [^]dir_index, [^]ext_attr,'],
    ['ext4', '-O quota,^quota', '"quota" is there twice'],
    ['ext4', '-O constructor', '"constructor" is unknown'],
    ['ext4', '-O ^__proto__', '"^__proto__" is unknown'],
    ['ext4', '-m 51', '-m takes a number from 0 to 50'],
    ['ext4', '-m -1', '-m takes a number from 0 to 50'],
    ['ext4', '-m 0x10', '-m takes a number from 0 to 50'],
    ['ext4', '-m 1e1', '-m takes a number from 0 to 50'],
    ['ext4', '-N 99999999999', '-N takes a whole number from 16 to 4294967295'],
    ['ext4', '-b 65536', '-b takes one of 1024, 2048, 4096'],
    ['ext4', '-L root', '-L takes pv- and letters'],
    ['ext4', '-L pv-12345678901234', '16 characters at most'],
    ['ext4', '-L pv-a/b', '-L takes pv- and letters'],
    ['ext4', '-E root_owner=0:4294967295', '-E.root_owner takes UID:GID'],
    ['ext4', '-m 1 -m 2', 'cannot have "-m" twice'],
    ['ext4', '/dev/sda', '"/dev/sda" (is no option)'],
    ['ext4', '100M', '"100M" (is no option)'],
    ['ext4', '--', '"--"'],
    ['ext4', '-', '"-"'],
    ['ext4', '--help', '"--help"'],
    ['ext2', '-j', '"-j" (makes it an ext3)'],
    ['ext2', '-O extent', '"extent" is unknown'],
    ['ext3', '-O ^has_journal', '"^has_journal" is unknown'],
    ['xfs', '-f', '"-f" (forces mkfs'],
    ['xfs', '-p /etc/passwd', '"-p" (copies files of the node into the volume)'],
    ['xfs', '-c options=/etc/x', '"-c" (reads a file of the node)'],
    ['xfs', '-l logdev=/dev/sda', '"logdev" reaches for another device'],
    ['xfs', '-l internal=0', '-l.internal takes 1'],
    ['xfs', '-d name=/dev/sda', '"name" reaches for another device'],
    ['xfs', '-d file', '"file" says how large'],
    ['xfs', '-d size=100m', '"size" says how large'],
    ['xfs', '-d agcount=04', '-d.agcount takes a whole number'],
    ['xfs', '-r rtdev=/dev/sda', '"-r" (reaches for another device)'],
    ['xfs', '-m uuid=x', '"uuid" says which UUID'],
    ['xfs', '-N', '"-N" (makes no filesystem)'],
    ['btrfs', '--rootdir=/etc', '"--rootdir=/etc" (copies files of the node into the volume)'],
    ['btrfs', '--rootdir /etc', '"--rootdir" (copies files of the node into the volume)'],
    ['btrfs', '--rootd /etc', '"--rootd"'],
    ['btrfs', '-r /etc', '"-r" (copies files of the node into the volume)'],
    ['btrfs', '-b 1g', '"-b" (says how large'],
    ['btrfs', '-d raid1', '-d takes one of single, dup'],
    ['btrfs', '--metadata=raid0', '-m takes one of single, dup'],
    ['btrfs', '-m dup --metadata single', 'cannot have "-m" twice'],
    ['btrfs', '--mixed=1', '-M takes no value'],
    ['btrfs', '-O list-all', '"list-all" makes no filesystem'],
    ['btrfs', '-O zoned', '"zoned" is for other devices'],
    ['btrfs', '-K /dev/sda', '"/dev/sda" (is no option)'],
  ])('of %s is not given %j', (fsType, text, why) => {
    expect(faultOf(fsType, text)).toContain(why);
  });

  test.each(['-L "pv-a b"', "-L 'pv-a'", '-L `id`', '-L pv-a\\ b'])('is given no quoting: %s', (text) => {
    expect(faultOf('ext4', text)).toContain('no shell reads it, so leave out quotes and backslashes');
  });

  test('is told all that is wrong at once', () => {
    const { faults } = readMkfsOptions('ext4', '-d /etc -m 99 -F -b 3');
    expect(faults).toEqual([
      expect.stringMatching(/^cannot have "-d" \(.*\), "-F" \(.*\): mkfs of ext4 takes -b, -D, /),
      'cannot have "-m 99": -m takes a number from 0 to 50',
      'cannot have "-b 3": -b takes one of 1024, 2048, 4096',
    ]);
  });

  test('is told all that is wrong in one list at once', () => {
    expect(faultOf('ext4', '-E offset=1,x,stride=a,discard=1')).toMatch(
      /"offset" says how large .*, "x" is unknown; -E takes .*; -E.stride takes .*; -E.discard takes no value$/,
    );
    expect(faultOf('ext4', '-O bigalloc,x,quota')).toContain(
      '"bigalloc" keeps the volume from growing, "x" is unknown; -O',
    );
  });

  test('names only a few of very many', () => {
    const fault = faultOf('ext4', 'x '.repeat(100));
    expect(fault).toContain('and 95 more: mkfs of ext4 takes');
  });
});

describe('whatever the text is', () => {
  const texts = fc.oneof(
    mutated(fc.constantFrom(...GOOD.map(([, text]) => text)), ' -=,^/.;$()"\'dFflrz0p:\n\t\0é'),
    fc.string(),
  );

  test('nothing that names a file, an option of ours or a second device gets to mkfs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FILE_SYSTEMS), texts, (fsType, text) => {
        const { args, faults } = readMkfsOptions(fsType, text);
        if (faults.length > 0) return;
        for (const [i, arg] of args.entries()) {
          expect(arg).toMatch(/^(--?[A-Za-z]+|[\w^][\w^,=.:-]*)$/);
          if (!arg.startsWith('-')) expect(args[i - 1]).toMatch(/^-/);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('what mkfs is given, written as one text, is read as the same', () => {
    fc.assert(
      fc.property(fc.constantFrom(...FILE_SYSTEMS), texts, (fsType, text) => {
        const { args, faults } = readMkfsOptions(fsType, text);
        if (faults.length === 0) expect(argsOf(fsType, args.join(' '))).toEqual(args);
      }),
      { numRuns: 1000 },
    );
  });
});

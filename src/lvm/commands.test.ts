import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as commands from './commands.ts';

const { changeTags, createPlain, createThinSnapshot, growFileSystem, luksAddKey, makeFileSystem, remove, slotIn } =
  commands;

const UUID = 'tNnUgN-pkjp-Ceb6-A5ta-rV31-HIPz-NL0FYz';
const VOLUME = { group: 'lab', name: 'data-0', uuid: UUID };

describe('the commands for LVM', () => {
  it('ask for whole sectors, and never for less than wanted', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 62n }), (bytes) => {
        const { argv } = createPlain({ vg: 'lab', name: 'data-0', bytes, tags: [] });
        const size = BigInt((argv[argv.indexOf('--size') + 1] ?? '').replace(/b$/, ''));
        expect([size % 512n, size >= bytes, size < bytes + 512n]).toEqual([0n, true, true]);
      }),
    );
  });

  it('make a volume with its tags, in one', () => {
    const tags = ['holdfast.dev/uid=1', 'holdfast.dev/state=new'];
    expect(createPlain({ vg: 'lab', name: 'data-0', bytes: 4096n, tags }).argv.join(' ')).toBe(
      'lvcreate --yes --wipesignatures y --zero y --size 4096b --name data-0 --addtag holdfast.dev/uid=1 --addtag holdfast.dev/state=new lab',
    );
  });

  it('make a thin snapshot without a size, with which it would be a classic one', () => {
    const { argv } = createThinSnapshot({ vg: 'lab', name: 'kept', origin: 'data-0', tags: [] });
    expect(argv).not.toContain('--size');
    expect(argv.at(-1)).toBe('lab/data-0');
  });

  it('name by name and uuid what they change', () => {
    const others = [VOLUME, { ...VOLUME, name: 'data-1' }];
    expect(changeTags(others, { add: ['a=1'], remove: ['b=2'] }).argv).toEqual([
      ...['lvchange', '--yes', '--addtag', 'a=1', '--deltag', 'b=2', '--select'],
      `(lv_name="data-0" && lv_uuid="${UUID}") || (lv_name="data-1" && lv_uuid="${UUID}")`,
      ...['lab/data-0', 'lab/data-1'],
    ]);
    expect(remove(VOLUME).argv).toContain(`lv_uuid="${UUID}" && lv_role!=thickorigin && lv_layout!=pool`);
  });
});

describe('many commands for LVM in one process', () => {
  const lvcreate = { argv: ['lvcreate', '--name', 'data', 'storage'], options: {} };

  it('say what they have done even on a host that is configured to be silent: that is how it is known', () => {
    const input = commands.inOneProcess([lvcreate, lvcreate])?.options.input;
    const line = 'lvcreate --config log/silent=0 --name data storage\n';
    expect(input).toBe(line + line);
  });

  it.each(['two words', 'a\nb', '"a"', '$a', '#a', 'a;b', ''])(
    'are none when a word could be read as more: %j',
    (word) => {
      expect(commands.inOneProcess([lvcreate, { ...lvcreate, argv: ['lvcreate', word] }])).toBeUndefined();
    },
  );
});

describe('the commands for filesystems', () => {
  it('have what a person asks for before the device', () => {
    const { argv } = makeFileSystem({ fsType: 'ext4', fsArgs: ['-m', '0'], device: '/dev/lab/data-0' });
    expect(argv).toEqual(['setpriv', '--pdeathsig', 'KILL', 'mkfs.ext4', '-F', '-q', '-m', '0', '/dev/lab/data-0']);
  });

  it.each([
    ['ext3', 'resize2fs /dev/lab/data-0'],
    ['xfs', 'xfs_growfs -d /mnt/pv/data-0'],
    ['btrfs', 'btrfs filesystem resize max /mnt/pv/data-0'],
  ] as const)('grow %s in its own way', (fsType, line) => {
    const { argv } = growFileSystem({ fsType, device: '/dev/lab/data-0', path: '/mnt/pv/data-0' });
    expect(argv.join(' ')).toBe(line);
  });
});

describe('the commands for encryption', () => {
  const key = Buffer.from('top secret');

  it.each([
    ['luksFormat', commands.luksFormat({ device: '/dev/x', key })],
    ['luksOpen', commands.luksOpen({ device: '/dev/x', key, name: 'x' })],
    ['luksResize', commands.luksResize({ name: 'x', key })],
    ['luksTestKey', commands.luksTestKey({ device: '/dev/x', key })],
    ['luksKillSlot', commands.luksKillSlot({ device: '/dev/x', key, slot: 0 })],
  ])('have the key on standard input and nowhere else: %s', (_, { argv, options }) => {
    expect(options.input).toBe(key);
    expect(argv.join(' ')).toContain('--key-file - ');
    expect(argv.join(' ')).not.toContain('secret');
  });

  it('have both keys on standard input when one is added, and say where the first one ends', () => {
    const { argv, options } = luksAddKey({ device: '/dev/x', key, newKey: Buffer.from('ä') });
    expect(argv.slice(-4)).toEqual(['--keyfile-size', '10', '/dev/x', '-']);
    expect(options.input).toEqual(Buffer.from('top secretä'));
  });

  it('kill a slot only with the proof that another one opens', () => {
    expect(commands.luksKillSlot({ device: '/dev/x', key, slot: 0 }).argv).not.toContain('--batch-mode');
  });

  it.each([
    ['the slot', 0, 'No usable token is available.\nKey slot 12 unlocked.\nCommand successful.\n', '', 12],
    ['none', 2, '', 'No key available with this passphrase.\n', undefined],
    ['none, since there is no slot', 1, '', 'No usable keyslot is available.\n', undefined],
  ])('tell which slot a key opens: %s', (_, code, stdout, stderr, slot) => {
    expect(slotIn({ code, stdout, stderr })).toBe(slot);
  });

  it('do not guess a slot that cryptsetup does not name', () => {
    expect(() => slotIn({ code: 0, stdout: 'Command successful.\n', stderr: '' })).toThrow(/does not say/);
    const stderr = 'Device /dev/x is not a valid LUKS device.\n';
    expect(() => slotIn({ code: 1, stdout: '', stderr })).toThrow(/not a valid LUKS device/);
  });
});

it('tells a slot only where cryptsetup names it, whatever else it says', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.string(), fc.string(), (code, stdout, stderr) => {
      try {
        const slot = slotIn({ code, stdout, stderr });
        if (slot !== undefined) expect(stdout).toContain(`Key slot ${slot} unlocked.`);
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringMatching(/^cryptsetup /) });
      }
    }),
  );
});

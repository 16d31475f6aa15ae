import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import type { Mount } from '../kit/host/mounts.ts';
import { type FstabEntry, mountedAt, mountFailures, parseFstab, renderFstab } from './mounts.ts';

const PATH = '/mnt/pv/data-0';

describe('what is mounted at a path', () => {
  it.each<[string, Mount[], string]>([
    ['nothing', [aMount({ mountPoint: '/mnt/pv' }), aMount({ mountPoint: `${PATH}/sub` })], 'nothing'],
    ['our device', [aMount()], 'ours'],
    ['another device', [aMount({ device: '254:9' })], 'other'],
    ['a directory of our device', [aMount({ root: '/lost+found' })], 'other'],
    ['our device upon another', [aMount({ device: '254:9' }), aMount()], 'stacked'],
    ['our device twice', [aMount(), aMount()], 'stacked'],
  ])('can be %s', (_, mounts, kind) => {
    expect(mountedAt(mounts, PATH, '254:3').kind).toBe(kind);
  });
});

describe('a table of mounts', () => {
  it('is written as mount(8) reads it', () => {
    const entry = {
      source: '/dev/mapper/a-b',
      path: '/mnt/a b\\c#d\te',
      fsType: 'ext4',
      options: ['noexec', 'noatime'],
    };
    expect(renderFstab([entry, { ...entry, path: '/x', options: [] }])).toBe(
      '/dev/mapper/a-b /mnt/a\\040b\\134c\\043d\\011e ext4 noexec,noatime 0 0\n/dev/mapper/a-b /x ext4 defaults 0 0\n',
    );
  });

  it('gives back every entry that was written', () => {
    fc.assert(
      fc.property(fc.array(anEntry()), (entries) => {
        const text = renderFstab(entries);
        expect(text.split('\n')).toHaveLength(entries.length + 1);
        expect(parseFstab(text)).toEqual(entries);
      }),
    );
  });

  it.each<Partial<FstabEntry>>([{ path: '' }, { source: '' }, { options: ['a,b'] }, { options: [''] }])(
    'cannot hold %o',
    (parts) => {
      const entry = { source: '/dev/x', path: '/x', fsType: 'xfs', options: [] };
      expect(() => renderFstab([{ ...entry, ...parts }])).toThrow(/no table/);
    },
  );
});

/** As mount of util-linux 2.38.1 wrote it. */
const SAID = `mount: /m/n1: mount point does not exist.
       dmesg(1) may have more information after failed mount system call.
mount: /m/bt: wrong fs type, bad option, bad superblock on /dev/loop2, missing codepage or helper program, or other error.
       dmesg(1) may have more information after failed mount system call.
mount: /m/bt: /dev/zero is not a block device.
       dmesg(1) may have more information after failed mount system call.
mount: /m/ro: WARNING: source write-protected, mounted read-only.
mount: (hint) your fstab has been modified, but systemd still uses
       the old version; use 'systemctl daemon-reload' to reload.
`;

describe('what mount said', () => {
  it('is told of the path that it is about', () => {
    const { byPath, others } = mountFailures(SAID, ['/m/n1', '/m/bt', '/m/ro', '/m/well']);
    expect([...byPath]).toEqual([
      ['/m/n1', 'mount point does not exist.'],
      [
        '/m/bt',
        'wrong fs type, bad option, bad superblock on /dev/loop2, missing codepage or helper program, or other error. /dev/zero is not a block device.',
      ],
    ]);
    expect(others).toEqual([
      "mount: (hint) your fstab has been modified, but systemd still uses the old version; use 'systemctl daemon-reload' to reload.",
    ]);
  });

  it('is of the longer path where one is the beginning of the other', () => {
    const { byPath } = mountFailures('mount: /m/a: b: mount failed.\n', ['/m/a', '/m/a: b']);
    expect([...byPath]).toEqual([['/m/a: b', 'mount failed.']]);
  });

  it('is nobody’s when the path is not known', () => {
    const { byPath, others } = mountFailures('mount: /m/a1: mount failed.\n', ['/m/a']);
    expect([[...byPath], others]).toEqual([[], ['mount: /m/a1: mount failed.']]);
  });
});

function aMount(parts: Partial<Mount> = {}): Mount {
  return {
    id: 31,
    parentId: 23,
    device: '254:3',
    root: '/',
    mountPoint: PATH,
    options: ['rw'],
    propagation: [],
    fsType: 'ext4',
    source: '/dev/mapper/a-b',
    superOptions: ['rw'],
    ...parts,
  };
}

function anEntry(): fc.Arbitrary<FstabEntry> {
  const text = fc.string({ unit: anyCharacter, minLength: 1 });
  const option = fc.stringMatching(/^[a-z=\\ #\n\t]{1,8}$/).filter((word) => word !== 'defaults');
  return fc.record({ source: text, path: text, fsType: text, options: fc.array(option) });
}

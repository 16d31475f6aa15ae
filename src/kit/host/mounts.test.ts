import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeviceNumber } from './device-number.ts';
import { type Mount, parseMountinfo } from './mounts.ts';
import { TableError } from './table-error.ts';

describe('the mount table', () => {
  it('is read as the kernel writes it', () => {
    const text = [
      '36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue',
      '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
      '40 27 0:31 /vol\\040one /a\\011b\\134c rw - btrfs /dev/mapper/x\\043y rw,subvol=/vol\\040one',
      '41 27 0:32 / /empty rw - tmpfs  rw',
      '',
    ].join('\n');
    expect(parseMountinfo(text)).toMatchObject([
      { id: 36, parentId: 35, device: '98:0', root: '/mnt1', propagation: ['master:1', 'shared:2'], fsType: 'ext3' },
      { device: '254:0', mountPoint: '/', options: ['rw', 'relatime'], propagation: [], source: '/dev/vda' },
      { root: '/vol one', mountPoint: '/a\tb\\c', source: '/dev/mapper/x#y', superOptions: ['rw', 'subvol=/vol one'] },
      { source: '', superOptions: ['rw'] },
    ]);
  });

  it('gives back every table that the kernel could write', () => {
    fc.assert(
      fc.property(fc.array(anyMount()), (mounts) => {
        expect(parseMountinfo(mounts.map(asTheKernelWrites).join(''))).toEqual(mounts);
      }),
    );
  });

  it('is understood as a whole or not at all, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'1 0:/-a,\\\n') }), (text) => {
        try {
          expect(parseMountinfo(text)).toHaveLength(text.split('\n').filter(Boolean).length);
        } catch (error) {
          expect(error).toBeInstanceOf(TableError);
        }
      }),
    );
  });
});

function anyMount(): fc.Arbitrary<Mount> {
  const path = fc.string({ unit: 'grapheme' }).map((text) => `/${text}`);
  const options = fc.array(fc.stringMatching(/^[a-z=\\ #]{1,8}$/));
  return fc.record({
    id: fc.nat(),
    parentId: fc.nat(),
    device: fc.tuple(fc.nat(), fc.nat()).map(([major, minor]): DeviceNumber => `${major}:${minor}`),
    root: path,
    mountPoint: path,
    options,
    propagation: fc.subarray(['shared:1', 'master:2', 'unbindable']),
    fsType: fc.constantFrom('ext4', 'fuse.x', 'btrfs'),
    source: fc.oneof(path, fc.constantFrom('', 'none', '-')),
    superOptions: options,
  });
}

function asTheKernelWrites(mount: Mount): string {
  const octal = (text: string) =>
    text.replace(/[ \t\n\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
  const { id, parentId, device, root, mountPoint, options, propagation, fsType, source, superOptions } = mount;
  const first = [id, parentId, device, octal(root), octal(mountPoint), octal(options.join(',')), ...propagation];
  return `${first.join(' ')} - ${fsType} ${octal(source)} ${octal(superOptions.join(','))}\n`;
}

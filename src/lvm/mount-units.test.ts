import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { devicePathsOf, escapePath, isOurs, mounts, unitNameOf, unitOf } from './mount-units.ts';

const UNIT = {
  volume: 'data',
  source: '/dev/storage_bulk/data',
  path: '/mnt/pv/data',
  fsType: 'ext4',
  options: ['noexec'],
};

/** As systemd reads it: a hyphen is a slash, and `\xNN` is a byte. */
const unescaped = (name: string): string =>
  `/${Buffer.concat(
    [...name.matchAll(/\\x([0-9a-f]{2})|(.)/gs)].map(([, hex, character = '']) =>
      hex === undefined ? Buffer.from(character === '-' ? '/' : character) : Buffer.from(hex, 'hex'),
    ),
  ).toString()}`;

const component = fc
  .string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
  .map((text) => text.toWellFormed())
  .filter((text) => !text.includes('/') && !['.', '..'].includes(text));
const components = fc.array(component, { minLength: 1, maxLength: 4 });

describe('the name of a unit', () => {
  it.each([
    ['/', '-'],
    ['/mnt/pv/data', 'mnt-pv-data'],
    ['//mnt/./pv//data/', 'mnt-pv-data'],
    ['/mnt/pv/my-data.0', 'mnt-pv-my\\x2ddata.0'],
    ['/.hidden/.too', '\\x2ehidden-.too'],
    ['/a b/c\\d', 'a\\x20b-c\\x5cd'],
    ['/ä:_', '\\xc3\\xa4:_'],
  ])('of %s is %s', (path, name) => expect(escapePath(path)).toBe(name));

  it('can be read back as the path, of whatever characters', () => {
    fc.assert(
      fc.property(components, (parts) => {
        const path = `/${parts.join('/')}`;
        expect(unescaped(escapePath(path))).toBe(path);
      }),
    );
  });

  it('has only characters that systemd takes, and no dot in front', () => {
    fc.assert(
      fc.property(components, (parts) => {
        expect(escapePath(parts.join('/'))).toMatch(/^(?!\.)[A-Za-z0-9:_.\\-]+$/);
      }),
    );
  });

  it('is the same however often slashes are written', () => {
    fc.assert(
      fc.property(components, fc.integer({ min: 1, max: 3 }), (parts, count) => {
        const slashes = '/'.repeat(count);
        expect(escapePath(`${slashes}${parts.join(slashes)}${slashes}`)).toBe(escapePath(`/${parts.join('/')}`));
      }),
    );
  });

  it('is none where systemd would take none', () => {
    const longest = `/${'x'.repeat(255 - '.mount'.length)}`;
    expect(unitNameOf(longest)).toHaveLength(255);
    expect(unitNameOf(`${longest}x`)).toBeUndefined();
    expect(unitNameOf('/mnt/a\nb')).toBeUndefined();
    expect(unitOf({ ...UNIT, path: `${longest}x` })).toBeUndefined();
    expect(() => escapePath('/mnt/../etc')).toThrow('leads up');
  });
});

describe('a unit', () => {
  const unit = unitOf(UNIT);

  it('mounts its volume at every boot, and lets no boot wait for one that is not there', () => {
    expect(unit?.name).toBe('mnt-pv-data.mount');
    expect(unit?.text.split('\n')).toEqual(
      expect.arrayContaining([
        'What=/dev/storage_bulk/data',
        'Where=/mnt/pv/data',
        'Type=ext4',
        'Options=noexec,nofail',
        'WantedBy=multi-user.target',
      ]),
    );
    expect(unit?.text).not.toMatch(/local-fs|RequiredBy/);
  });

  it('is told from those that others have written', () => {
    expect(unit && isOurs(unit)).toBe(true);
    expect(isOurs({ name: 'mnt-pv-data.mount', text: '[Mount]\nWhat=/dev/storage_bulk/data\n' })).toBe(false);
  });

  it('says what it mounts, also with percent signs', () => {
    const path = '/mnt/100%/data';
    const odd = unitOf({ ...UNIT, path });
    expect(odd?.text).toContain('Where=/mnt/100%%/data\n');
    expect(odd && mounts(odd, [UNIT.source], path)).toBe(true);
  });

  const written = (text: string) => ({ name: 'mnt-pv-data.mount', text });
  const sources = devicePathsOf({ group: 'storage-bulk', name: 'my-data' });

  it.each([
    ['[Mount]\nWhat=/dev/storage-bulk/my-data\nWhere=/mnt/pv/my-data\n', true],
    ['[Unit]\nDescription=x\n[Mount]\n What = /dev/mapper/storage--bulk-my--data\nWhere=/mnt/pv/my-data/', true],
    ['[Mount]\nWhat=/dev/sda1\nWhere=/mnt/pv/my-data\n', false],
    ['[Mount]\nWhat=/dev/storage-bulk/my-data\nWhere=/mnt/pv/other\n', false],
    ['[Mount]\nWhat=/dev/storage-bulk/my-data\nWhat=/dev/sda1\nWhere=/mnt/pv/my-data\n', false],
    ['[Unit]\nWhat=/dev/storage-bulk/my-data\nWhere=/mnt/pv/my-data\n', false],
    ['[Mount]\n#What=/dev/storage-bulk/my-data\nWhere=/mnt/pv/my-data\n', false],
    ['', false],
  ])('of somebody else is read: %j', (text, isIt) =>
    expect(mounts(written(text), sources, '/mnt/pv/my-data')).toBe(isIt),
  );
});

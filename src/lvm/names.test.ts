import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mutated } from '../../test/arbitraries/mutation.ts';
import {
  deviceMapperName,
  logicalVolumeFault,
  mountPointFault,
  readSecretName,
  thinPoolFault,
  volumeGroupFault,
} from './names.ts';

describe('a volume group', () => {
  test.each([
    'storage_bulk',
    'vg0',
    'VG+a.b-c',
    'ubuntu-vg',
    'data',
    'sdata',
    'ttyvg',
    'hdd',
    'md1',
    'raw',
    'snapshots',
    'a'.repeat(127),
  ])('can be called %s', (name) => {
    expect(volumeGroupFault(name)).toBeUndefined();
  });

  test.each([
    ['', 'cannot be empty'],
    ['-vg', 'begins with a hyphen'],
    ['--config', 'begins with a hyphen'],
    ['.', 'that is a directory'],
    ['..', 'that is a directory'],
    ['../dev', 'not "/"'],
    ['vg/lv', 'not "/"'],
    ['v g', 'not " "'],
    ['vg\n', 'not "\\n"'],
    ['vg@tag', 'not "@"'],
    ['v\u0261', 'not "\\u0261"'],
    ['a'.repeat(128), 'at most 127 characters'],
    ['mapper', 'that is a file in /dev'],
    ['disk', 'that is a file in /dev'],
    ['null', 'that is a file in /dev'],
    ['sda', 'that is a file in /dev'],
    ['sda1', 'that is a file in /dev'],
    ['loop0', 'that is a file in /dev'],
    ['dm-3', 'that is a file in /dev'],
    ['nvme0n1p2', 'that is a file in /dev'],
  ])('cannot be called %j', (name, why) => {
    expect(volumeGroupFault(name)).toContain(why);
  });
});

describe('a logical volume', () => {
  test.each(['db-0', 'my-snapshot', 'a_b', 'x-cow', 'pv.example.com'])('can be called %s', (name) => {
    expect(logicalVolumeFault(name, 'vg')).toBeUndefined();
  });

  test.each([
    ['snapshot', 'begin with snapshot'],
    ['snapshot-of-db', 'begin with snapshot'],
    ['pvmove0', 'begin with pvmove'],
    ['a_tdata', 'with _tdata in them'],
    ['a_tmeta_b', 'with _tmeta in them'],
    ['lvol0_pmspare', 'with _pmspare in them'],
    ['a_rimage_0', 'with _rimage in them'],
    ['a_mlog', 'with _mlog in them'],
    ['a_cvol', 'with _cvol in them'],
    ['..', 'that is a directory'],
    ['-x', 'begins with a hyphen'],
    ['', 'cannot be empty'],
  ])('cannot be called %j', (name, why) => {
    expect(logicalVolumeFault(name, 'vg')).toContain(why);
  });

  test('has hyphens doubled by the device mapper, which counts', () => {
    expect(deviceMapperName('my-vg', 'db-0')).toBe('my--vg-db--0');
    expect(logicalVolumeFault('a'.repeat(119), 'vg')).toBeUndefined();
    expect(logicalVolumeFault('a'.repeat(120), 'vg')).toContain(
      'it has 123 characters in the device mapper, and 122 is the most',
    );
    expect(logicalVolumeFault('a-'.repeat(39), 'vg')).toBeUndefined();
    expect(logicalVolumeFault('a-'.repeat(40), 'vg')).toContain('123 characters');
    expect(logicalVolumeFault('a-'.repeat(39), 'v-g')).toBeUndefined();
    expect(logicalVolumeFault('a-'.repeat(39), 'v-gg')).toContain('123 characters');
  });

  test('that is a thin pool leaves room for the names of its parts', () => {
    expect(thinPoolFault('a'.repeat(118), 'vg')).toBeUndefined();
    expect(thinPoolFault('a'.repeat(119), 'vg')).toContain('121 is the most');
    expect(thinPoolFault('pool_tdata', 'vg')).toContain('with _tdata in them');
    expect(thinPoolFault('..', 'vg')).toContain('that is a directory');
  });
});

describe('the path of a volume', () => {
  test.each(['/mnt/pv', '/mnt/pv/', '/mnt/pv//'])('is its name below the mount base %s', (base) => {
    expect(mountPointFault('/mnt/pv/db-0', base, 'db-0')).toBeUndefined();
  });

  test('can be right below the root', () => {
    expect(mountPointFault('/db-0', '/', 'db-0')).toBeUndefined();
  });

  test.each([
    '/mnt/pv',
    '/mnt/pv/',
    '/mnt/pv/db-1',
    '/mnt/pv/db-0/',
    '/mnt/pv//db-0',
    '/mnt/pv/./db-0',
    '/mnt/pv/x/../db-0',
    '/mnt/pv/db-0/../../../etc',
    'mnt/pv/db-0',
    '/etc',
    '/mnt/pv/db-0\n',
    '/mnt/pv/db-0\0',
    '',
  ])('cannot be %j', (path) => {
    expect(mountPointFault(path, '/mnt/pv', 'db-0')).toMatch(
      /^cannot be "[\x20-\x7e]*": it has to be "\/mnt\/pv\/db-0"$/,
    );
  });
});

describe('a Secret', () => {
  test('is named with its namespace, or is in that of the agent', () => {
    expect(readSecretName('keys/db', 'storage')).toEqual({ namespace: 'keys', name: 'db' });
    expect(readSecretName('db.example', 'storage')).toEqual({ namespace: 'storage', name: 'db.example' });
  });

  test.each([
    ['a/b/c', 'as NAMESPACE/NAME or NAME'],
    ['/db', '"" is not the name of a namespace'],
    ['keys/', '"" is not the name of a Secret'],
    ['../db', '".." is not the name of a namespace'],
    ['..', '".." is not the name of a Secret'],
    ['Keys/db', '"Keys" is not the name of a namespace'],
    ['keys/db?x=1', '"db?x=1" is not the name of a Secret'],
    ['keys/d%62', 'is not the name of a Secret'],
    ['a.b/db', '"a.b" is not the name of a namespace'],
  ])('cannot be %j', (text, why) => {
    expect(readSecretName(text, 'storage')).toEqual({ fault: expect.stringContaining(why) });
  });
});

test('whatever names a Secret leads to one object of one namespace, or is refused', () => {
  const texts = fc.oneof(fc.string(), mutated(fc.constantFrom('keys/db', 'db.example'), './%?#A\\-_ab'));
  fc.assert(
    fc.property(texts, (text) => {
      const named = readSecretName(text, 'storage');
      if ('fault' in named) return;
      expect(`${named.namespace}/${named.name}`).toMatch(/^[a-z0-9-]+\/[a-z0-9.-]+$/);
      expect(named.name).not.toMatch(/^\.+$/);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { parseFilter } from './filter.ts';

function accepts(filter: string, name: string): boolean {
  const parsed = parseFilter(filter);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed(name);
}
const faultOf = (filter: string): string | undefined => {
  const parsed = parseFilter(filter);
  return 'fault' in parsed ? parsed.fault : undefined;
};

describe('a filter of device names', () => {
  test('matches anywhere in a name, unless it says where', () => {
    expect(['ata', '^ata', 'ata$', '^pci.*ata-1$'].map((filter) => accepts(filter, 'pci-ata-1'))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test.each([
    ['(?P<bus>pci|usb)-(?P<rest>.*)', 'usb-0', true],
    ['(?<bus>pci|usb)-', 'pci-0', true],
    ['(?i)NVME', 'nvme0n1', true],
    ['(?i:N)vme', 'Nvme0n1', true],
    ['^\\pL+$', 'größe', true],
    ['^\\p{Greek}$', 'β', true],
    ['^\\p{Lu}$', 'a', false],
    ['^[[:alnum:]]+$', 'sda1', true],
    ['\\Asd[a-z]\\z', 'sda', true],
    ['\\Q0000:3b:00.0\\E', 'pci-0000:3b:00x0', false],
    ['^\\d$', '٣', false],
    ['\\bdisk', 'my-disk', true],
    ['^.$', '😀', true],
    ['(?s)^a.b$', 'a\nb', true],
    ['^a.b$', 'a\nb', false],
    ['(?m)^b$', 'a\nb', true],
    ['a{,2}', 'a{,2}', true],
    ['(?U)a+?', 'a', true],
    ['\\x{1F600}', '😀', true],
    ['^$', '', true],
  ])('speaks as Go does: %j on %j is %s', (filter, name, expected) => {
    expect(accepts(filter, name)).toBe(expected);
  });

  test.each([
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?P<x>a)(?P=x)',
    '(?>a)',
    'a++',
    'a{1001}',
    '(a{32}){32}',
    '[',
    '(',
    '\\',
    '*',
    '\\Z',
    '(?x)a',
    '\\p{IsLatin}',
  ])('that Go does not take is not taken either: %s', (filter) => {
    expect(faultOf(filter)).toMatch(/^error parsing regexp: ./);
  });

  /** By a way that tries one possibility after another, each of these would take longer than the world is old. */
  test.each(['(a+)+$', '^(a|a)*$', '(a|aa)+$', '^(a*)*$', '^(a?){50}a{50}$', '(.*a){20}$'])(
    'that is a catastrophe elsewhere is answered: %s',
    (filter) => {
      expect(accepts(filter, `${'a'.repeat(250)}!`)).toBe(false);
    },
  );

  test('may be a list of all the disks of a large machine', () => {
    const disks = Array.from({ length: 96 }, (_, i) => `pci-0000:3b:00.0-sas-phy${i}-lun-0`);
    const filter = `^(${disks.map((name) => name.replaceAll('.', '\\.')).join('|')})$`;
    expect([...disks, 'pci-0000:3b:00x0-sas-phy1-lun-0'].map((name) => accepts(filter, name)).lastIndexOf(true)).toBe(
      95,
    );
  });

  test('may count what a name counts', () => {
    const filter = '^[0-9a-f]{16}:[0-9a-f]{16}:[0-9a-f]{16}$';
    expect(accepts(filter, Array(3).fill('0123456789abcdef').join(':'))).toBe(true);
  });

  test('that is too long is not looked at', () => {
    expect(faultOf('a'.repeat(4_000))).toBeUndefined();
    expect(faultOf('a'.repeat(4_001))).toBe('it has 4001 characters, and 4000 is the most');
  });

  test.each([
    ['for memory', 'a{999}'.repeat(600)],
    ['for memory, by a count of at least', 'a{999,}'.repeat(500)],
    ['for memory, by a count of at most', 'a{0,999}'.repeat(400)],
    ['for memory, in one place', `(${'\\pL'.repeat(900)}){999}`],
    ['for time', 'a{0,999}'.repeat(6)],
  ])('whose repetitions make it too large %s is not taken', (_what, filter) => {
    expect(faultOf(filter)).toBe('its repetitions make it too large: shorten it, or use + or * instead of counts');
  });

  test('whatever it is, is taken or told, and answers for any name', () => {
    const filters = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.stringMatching(/^[a-c().|*+?^$\\[\]{}0-9,:-]{0,20}$/),
    );
    fc.assert(
      fc.property(filters, fc.string({ unit: anyCharacter }), (filter, name) => {
        const parsed = parseFilter(filter);
        expect('fault' in parsed ? typeof parsed.fault : typeof parsed(name)).toMatch(/^(string|boolean)$/);
      }),
    );
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VolumeRow } from '../../src/console/model.ts';
import { compareValues, facetCounts, NONE, valueInWords } from './facets.ts';
import { filtered } from './filter.ts';
import { COLUMNS, cleared, isNarrowed, orderedBy, paramsOf, queryOf, toggled, withText } from './query.ts';
import { orderToCome, sorted } from './sort.ts';

const aVolume = (name: string, more: Partial<VolumeRow> = {}): VolumeRow => ({
  name,
  health: 'well',
  phase: 'Bound',
  capacityBytes: 1,
  source: 'device',
  createdAt: '2026-01-01T00:00:00Z',
  ...more,
});

const rows = [
  aVolume('c', { health: 'failed', zone: 'a', claim: 'web/Data', createdAt: '2026-01-03T00:00:00Z' }),
  aVolume('a', { zone: 'b', capacityBytes: 5, pods: ['web/db-0'], createdAt: '2026-01-02T00:00:00Z' }),
  aVolume('b', { health: 'attention', phase: 'Released', node: 'n1' }),
];
const volumes = new Map(rows.map((row) => [row.name, row]));
const all = queryOf(new URLSearchParams());
const names = (found: readonly VolumeRow[]): string => found.map(({ name }) => name).join('');

test('nothing chosen is everything, and the very same list', () => {
  expect(filtered(rows, all)).toBe(rows);
});

test('values of one facet widen, facets and words narrow', () => {
  const troubled = toggled(toggled(all, 'health', 'failed'), 'health', 'attention');
  expect(names(filtered(rows, troubled))).toBe('cb');
  expect(names(filtered(rows, toggled(troubled, 'zone', 'a')))).toBe('c');
  expect(names(filtered(rows, toggled(all, 'zone', NONE)))).toBe('b');
  expect(names(filtered(rows, withText(all, 'web DATA')))).toBe('c');
  expect(names(filtered(rows, withText(all, 'db-0')))).toBe('a');
});

test('choosing twice is not choosing', () => {
  expect(toggled(toggled(all, 'node', 'n1'), 'node', 'n1')).toEqual(all);
});

test('a facet counts every volume once', () => {
  expect([...facetCounts(rows, 'zone')]).toEqual([
    ['a', 1],
    ['b', 1],
    [NONE, 1],
  ]);
  expect(facetCounts(rows, 'health').get('well')).toBe(1);
});

test('trouble comes first unless another order is asked for', () => {
  expect(names(sorted(volumes, all.order))).toBe('cba');
  expect(names(sorted(volumes, orderedBy(all, 'name').order))).toBe('abc');
  expect(names(sorted(volumes, orderedBy(orderedBy(all, 'name'), 'name').order))).toBe('cba');
  expect(names(sorted(volumes, orderedBy(all, 'age').order))).toBe('cab');
});

test('what has nothing in a column is last, whichever way round', () => {
  expect(names(sorted(volumes, { by: 'zone', descending: false }))).toBe('cab');
  expect(names(sorted(volumes, { by: 'zone', descending: true }))).toBe('acb');
});

test('what is asked for is found again by its address', () => {
  const value = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(fc.string(), value, value, fc.constantFrom(...COLUMNS), fc.boolean(), (text, zone, node, by, down) => {
      const chosen = toggled(toggled(withText(all, text), 'zone', zone), 'node', node);
      const query = { ...chosen, order: { by, descending: down } };
      expect(queryOf(new URLSearchParams(paramsOf(query).toString()))).toEqual(query);
    }),
  );
});

test('clearing leaves the order', () => {
  const query = orderedBy(withText(all, 'x'), 'capacity');
  expect(isNarrowed(query)).toBe(true);
  expect(cleared(query)).toEqual({ ...all, order: { by: 'capacity', descending: false } });
});

test('every order is the one that comparing would give, and no row is lost', () => {
  const some = fc.record({
    name: fc.stringMatching(/^[a-d]{1,3}$/),
    zone: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    size: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.uniqueArray(some, { selector: ({ name }) => name }), fc.boolean(), (drawn, descending) => {
      const many = drawn.map(({ name, zone, size }) =>
        aVolume(name, { capacityBytes: size, ...(zone !== undefined && { zone }) }),
      );
      const given = new Map(many.map((row) => [row.name, row]));
      const turn = descending ? -1 : 1;
      const name = (a: VolumeRow, b: VolumeRow) => (a.name < b.name ? -1 : 1);
      const bySize = many.toSorted((a, b) => turn * (a.capacityBytes - b.capacityBytes) || name(a, b));
      expect(sorted(given, { by: 'capacity', descending })).toEqual(bySize);
      const inZones = many.filter(({ zone }) => zone !== undefined);
      const byZone = inZones.toSorted((a, b) => turn * (a.zone ?? '').localeCompare(b.zone ?? '') || name(a, b));
      const others = many.filter(({ zone }) => zone === undefined).toSorted(name);
      expect(sorted(given, { by: 'zone', descending })).toEqual([...byZone, ...others]);
    }),
  );
});

test('every order comes once, and then none is left to come', () => {
  const come = new Set<string>();
  for (let order = orderToCome(); order; order = orderToCome()) {
    expect(come.has(order.by)).toBe(false);
    come.add(order.by);
    sorted(volumes, order);
  }
  expect(orderToCome()).toBeUndefined();
});

test('values are in their order by number, and what has none is last, in words', () => {
  expect(['n10', NONE, 'n9', '—x'].sort(compareValues).at(-1)).toBe(NONE);
  expect(['n10', 'n9'].sort(compareValues)).toEqual(['n9', 'n10']);
  expect([NONE, 'n9'].map(valueInWords)).toEqual(['none', 'n9']);
});

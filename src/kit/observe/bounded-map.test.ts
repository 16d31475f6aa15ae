import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('lets what was used longest ago make room, and says what it was', () => {
  const evicted: string[] = [];
  const map = new BoundedMap<string, number>(2, (value, key) => evicted.push(`${key}=${value}`));
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect(evicted).toEqual(['b=2']);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
});

it('does not take an overwritten or a deleted entry for one more', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('b', 3);
  map.delete('b');
  map.set('c', 4);
  expect([...map.values()]).toEqual([1, 4]);
});

it('holds at least one', () => {
  expect(() => new BoundedMap(0)).toThrow('one entry at least');
});

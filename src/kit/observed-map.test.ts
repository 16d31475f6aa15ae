import { expect, test } from 'vitest';
import { ObservedMap } from './observed-map.ts';

function aMap() {
  const map = new ObservedMap<number>();
  /** What the map held each time that it told of a change. */
  const told: (readonly number[])[] = [];
  const stop = map.subscribe(() => told.push(map.values()));
  return { map, told, stop };
}

test('a listener hears of all that is set and deleted, when it is so', () => {
  const { map, told } = aMap();
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.delete('b');
  expect(told).toEqual([[1], [1, 2], [3, 2], [3]]);
  expect([map.get('a'), map.get('b')]).toEqual([3, undefined]);
});

test('that something is as it was is no news, although another object says so', () => {
  const map = new ObservedMap<{ readonly is: string }>();
  let told = 0;
  map.subscribe(() => told++);
  map.set('a', { is: 'bound' });
  map.set('a', { is: 'bound' });
  expect(told).toBe(1);
});

test('that nothing was deleted is no news', () => {
  const { map, told } = aMap();
  map.delete('a');
  expect(told).toEqual([]);
});

test('who has ended it hears nothing more', () => {
  const { map, told, stop } = aMap();
  stop();
  map.set('a', 1);
  expect(told).toEqual([]);
});

test('what was asked for before does not change afterwards', () => {
  const { map } = aMap();
  map.set('a', 1);
  const before = map.values();
  map.set('b', 2);
  expect(before).toEqual([1]);
});

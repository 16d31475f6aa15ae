import { expect, test } from 'vitest';
import { PerUser } from './per-user.ts';

test('each user has so many and no more, until they give one back, which counts once', () => {
  const places = new PerUser(2);
  const first = places.place('ada');
  places.place('ada');
  expect(places.place('ada')).toBeUndefined();
  expect(places.place('bob')).toBeDefined();
  first?.();
  first?.();
  expect(places.place('ada')).toBeDefined();
  expect(places.place('ada')).toBeUndefined();
});

import { expect, test } from 'vitest';
import { SharedValues } from './shared-values.ts';

test('equal values are one, others are not', () => {
  const values = new SharedValues();
  const first = values.share({ zone: 'a' });
  expect(values.share({ zone: 'a' })).toBe(first);
  expect(values.share({ zone: 'b' })).not.toBe(first);
  expect(values.share(['a'])).toEqual(['a']);
});

test('values without end are not held for ever', () => {
  const values = new SharedValues();
  const first = values.share({ number: 0 });
  for (let number = 1; number < 5_000; number++) values.share({ number });
  expect(values.share({ number: 0 })).not.toBe(first);
});

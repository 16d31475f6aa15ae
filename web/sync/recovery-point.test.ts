import { expect, test } from 'vitest';
import { recoveryPoint } from './recovery-point.ts';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-01T00:00:00.500Z';

test('it is what was said last, whichever that is', () => {
  expect(recoveryPoint({ exportedAt: EARLY })).toBe(EARLY);
  expect(recoveryPoint({ exportedAt: EARLY, confirmedAt: LATE })).toBe(LATE);
  expect(recoveryPoint({ exportedAt: LATE, confirmedAt: EARLY })).toBe(LATE);
});

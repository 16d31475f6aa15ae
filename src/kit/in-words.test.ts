import { expect, test } from 'vitest';
import { ago, inBytes } from './in-words.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

test.each([
  [0, '0'],
  [1023, '1023'],
  [1024, '1Ki'],
  [100 * MIB, '100Mi'],
  [4 * GIB, '4Gi'],
  [1.5 * GIB, '1.5Gi'],
  [4_000_787_030_016, '3.6Ti'],
  [GIB - 1, '1023.9Mi'],
  [Number.MAX_SAFE_INTEGER, '7.9Pi'],
])('%d bytes are %s', (bytes, words) => {
  expect(inBytes(bytes)).toBe(words);
});

test.each([
  [0, 'just now'],
  [-5_000, 'just now'],
  [1_500, '1 second ago'],
  [90_000, '90 seconds ago'],
  [720_000, '12 minutes ago'],
  [5_400_000, '90 minutes ago'],
  [86_400_000, '24 hours ago'],
  [200_000_000, '2 days ago'],
])('%d ms ago is "%s"', (ms, words) => {
  expect(ago(ms)).toBe(words);
});

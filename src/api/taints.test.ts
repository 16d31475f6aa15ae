import { expect, test } from 'vitest';
import { type Taint, type Toleration, untolerated } from './taints.ts';

const taint: Taint = { key: 'disk', value: 'slow', effect: 'NoSchedule' };

test.each<[string, Toleration]>([
  ['names key and value', { key: 'disk', operator: 'Equal', value: 'slow', effect: 'NoSchedule' }],
  ['names no operator, which means equal', { key: 'disk', value: 'slow' }],
  ['wants the key only', { key: 'disk', operator: 'Exists' }],
  ['wants anything', { operator: 'Exists' }],
])('a pod is placed on a tainted node when its toleration %s', (_what, toleration) => {
  expect(untolerated([taint], [toleration])).toBeUndefined();
});

test.each<[string, Toleration]>([
  ['another value', { key: 'disk', value: 'fast' }],
  ['another key', { key: 'gpu', operator: 'Exists' }],
  ['another effect', { key: 'disk', operator: 'Exists', effect: 'NoExecute' }],
  ['an operator that there is not', { key: 'disk', operator: 'Like', value: 'slow' }],
])('it is not when it has %s', (_what, toleration) => {
  expect(untolerated([taint], [toleration])).toBe(taint);
});

test('a taint that only asks is no obstacle', () => {
  expect(untolerated([{ ...taint, effect: 'PreferNoSchedule' }], [])).toBeUndefined();
  expect(untolerated([{ ...taint, effect: 'NoExecute' }], [])).toBeDefined();
});

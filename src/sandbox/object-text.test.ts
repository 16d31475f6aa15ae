import { expect, test } from 'vitest';
import { textOf } from './object-text.ts';

test.each([
  { kind: 'Pod', metadata: { name: 'a' } },
  { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] },
  {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
  },
  { kind: 'WishList', items: ['a', null, [1]] },
  { kind: 'Wish', items: [{ is: 'b' }], spec: {} },
])('the text of an object is its JSON: %j', (object) => {
  expect(textOf(object)).toBe(JSON.stringify(object));
});

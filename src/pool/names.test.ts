import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimNameOf, memberOfClaim, podNameOf } from './names.ts';

test('a claim tells whose it is, whatever the pool is called', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/),
      fc.integer({ min: 0, max: 1_000 }),
      (pool, ordinal) => {
        expect(memberOfClaim(claimNameOf(pool, ordinal))).toEqual({ pool, ordinal });
      },
    ),
  );
});

test.each([
  ['data'],
  ['vol-data'],
  ['vol-data-sts'],
  ['vol-data-sts-'],
  ['vol-data-sts-01'],
  ['vol--sts-x'],
  ['vol-data-sts-12345678'],
])('%s is no claim of a pool', (name) => {
  expect(memberOfClaim(name)).toBeUndefined();
});

test('pods are called as the original calls them', () => {
  expect([podNameOf('pool', 2), claimNameOf('pool', 2)]).toEqual(['pool-sts-2', 'vol-pool-sts-2']);
});

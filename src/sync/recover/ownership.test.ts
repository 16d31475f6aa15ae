import { expect, test } from 'vitest';
import { FINALIZER, PERSISTENT_VOLUME_SYNCS } from '../contract.ts';
import { untied } from './ownership.ts';

const { group, kind } = PERSISTENT_VOLUME_SYNCS;
const owner = (apiVersion: string, of: string) => ({ apiVersion, kind: of, name: 'x', uid: '1' });
const OURS = owner(`${group}/v1`, kind);
const OTHERS = [owner('example.com/v1', kind), owner(`${group}/v1`, 'Another'), owner('v1', 'Node')];

test('what the original has tied to the resource is cut, in any version of the API, and what is of others stays', () => {
  const ties = { ownerReferences: [OURS, ...OTHERS, owner(`${group}/v2`, kind)], finalizers: ['a/b', FINALIZER] };
  expect(untied(ties)).toEqual({
    patch: { metadata: { ownerReferences: OTHERS, finalizers: ['a/b'] } },
    fields: ['metadata.ownerReferences', 'metadata.finalizers'],
  });
});

test('of the two, only the one that there is is cut', () => {
  expect(untied({ ownerReferences: [OURS], finalizers: ['a/b'] })?.fields).toEqual(['metadata.ownerReferences']);
  expect(untied({ ownerReferences: OTHERS, finalizers: [FINALIZER] })?.fields).toEqual(['metadata.finalizers']);
});

test('where there is no tie, nothing is written', () => {
  expect(untied({})).toBeUndefined();
  expect(untied({ ownerReferences: OTHERS, finalizers: ['a/b'] })).toBeUndefined();
});

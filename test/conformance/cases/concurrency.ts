import { aLease, aMap } from '../objects.ts';
import { type Cases, get, jsonPatch, mergePatch, post, put } from '../steps.ts';

const ELSE = '00000000-0000-0000-0000-000000000000';

/** Who writes may say what is being replaced. */
export const concurrency: Cases = {
  'an update of the latest version is taken': [
    post('configmaps', aMap('a')),
    put('configmaps/a', aMap('a', { x: '1' }, { resourceVersion: '{1.metadata.resourceVersion}' })),
  ],
  'an update of an older version is refused': [
    post('configmaps', aMap('a')),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    put('configmaps/a', aMap('a', {}, { resourceVersion: '{1.metadata.resourceVersion}' })),
    post('leases', aLease('a')),
    put('leases/a', aLease('a', { holderIdentity: 'x' })),
  ],
  'an update that says no version is taken': [
    post('configmaps', aMap('a', { x: '1' }, { labels: { a: 'b' } })),
    put('configmaps/a', aMap('a', { y: '2' })),
    put('configmaps/a', aMap('a', {}, { resourceVersion: '0' })),
  ],
  'some kinds have to say the version': [
    post('leases', aLease('a')),
    put('leases/a', aLease('a', { holderIdentity: 'x' })),
    put('leases/a', { metadata: { name: 'a', resourceVersion: '{1.metadata.resourceVersion}' }, spec: {} }),
  ],
  'a version has to be one': [
    post('configmaps', aMap('a')),
    put('configmaps/a', aMap('a', {}, { resourceVersion: 'new' })),
  ],
  'a patch of an older version is refused': [
    post('configmaps', aMap('a')),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    mergePatch('configmaps/a', { metadata: { resourceVersion: '{1.metadata.resourceVersion}' }, data: { x: '2' } }),
    mergePatch('configmaps/a', { metadata: { resourceVersion: '{2.metadata.resourceVersion}' }, data: { x: '2' } }),
    jsonPatch('configmaps/a', [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]),
  ],
  'a write for another object of that name is refused': [
    post('configmaps', aMap('a')),
    put('configmaps/a', aMap('a', {}, { uid: ELSE })),
    mergePatch('configmaps/a', { metadata: { uid: ELSE } }),
    mergePatch('configmaps/a', { metadata: { uid: '{1.metadata.uid}' }, data: { x: '1' } }),
  ],
  'an update that changes nothing makes no new version': [
    post('configmaps', aMap('a', { x: '1' })),
    put('configmaps/a', { ...aMap('a', { x: '1' }) }),
    get('configmaps/a'),
    put('configmaps/a', aMap('a', { x: '1' }, { labels: {}, annotations: {}, finalizers: [] })),
  ],
  'an update of what is not there is refused': [
    put('configmaps/a', aMap('a')),
    mergePatch('configmaps/a', { data: {} }),
    jsonPatch('configmaps/a', []),
  ],
  'what the system says of an object stays as it is': [
    post('configmaps', aMap('a')),
    put('configmaps/a', aMap('a', {}, { creationTimestamp: '2001-01-01T00:00:00Z', generation: 9, selfLink: '/x' })),
    put('configmaps/a', aMap('a', {}, { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 1 })),
    mergePatch('configmaps/a', { metadata: { creationTimestamp: null, generateName: 'x-' } }),
    mergePatch('configmaps/a', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } }),
  ],
};

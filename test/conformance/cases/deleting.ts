import { aClaim, aLease, aMap, aPod, aVolume, labelled } from '../objects.ts';
import { type Cases, get, mergePatch, post, put, remove } from '../steps.ts';

const ELSE = '00000000-0000-0000-0000-000000000000';
const held = aMap('a', {}, { finalizers: ['example.com/a', 'example.com/b'] });

/** Objects go at once, or when everybody has let go of them. */
export const deleting: Cases = {
  'most deletions answer with a status': [
    post('configmaps', aMap('a')),
    remove('configmaps/a'),
    get('configmaps/a'),
    post('leases', aLease('a')),
    remove('leases/a'),
  ],
  'a deletion may be of one object only': [
    post('configmaps', aMap('a')),
    remove('configmaps/a', { preconditions: { uid: ELSE } }),
    remove('leases/a', { preconditions: { uid: ELSE } }),
    remove('configmaps/a', { preconditions: { uid: '{1.metadata.uid}' } }),
  ],
  'a deletion may be of one version only': [
    post('leases', aLease('a')),
    remove('leases/a', { preconditions: { resourceVersion: '1' } }),
    remove('leases/a', { preconditions: { resourceVersion: '{1.metadata.resourceVersion}' } }),
  ],
  'an object with finalizers is marked, and goes with the last': [
    post('configmaps', held),
    remove('configmaps/a'),
    remove('configmaps/a'),
    mergePatch('configmaps/a', { metadata: { finalizers: ['example.com/b'] } }),
    put('configmaps/a', aMap('a', { x: '1' })),
    get('configmaps/a'),
  ],
  'what is going takes no new finalizers': [
    post('configmaps', held),
    remove('configmaps/a'),
    mergePatch('configmaps/a', { metadata: { finalizers: ['example.com/a', 'example.com/z', 'example.com/y'] } }),
    mergePatch('configmaps/a', { data: { x: '1' } }),
    mergePatch('configmaps/a', { metadata: { deletionTimestamp: null } }),
    post('configmaps', aMap('a')),
  ],
  'dependents may be left behind': [
    post('configmaps', aMap('a')),
    remove('configmaps/a', { propagationPolicy: 'Orphan' }),
    post('configmaps', aMap('b')),
    remove('configmaps/b', { orphanDependents: true }),
  ],
  'dependents may have to go first': [
    post('configmaps', aMap('a')),
    remove('configmaps/a', { propagationPolicy: 'Foreground' }),
    remove('configmaps/a', { propagationPolicy: 'Orphan' }),
    remove('configmaps/a', { propagationPolicy: 'Background' }),
    get('configmaps/a'),
  ],
  'how to delete has to make sense': [
    post('configmaps', aMap('a')),
    remove('configmaps/a', { propagationPolicy: 'Sideways' }),
    remove('configmaps/a', { propagationPolicy: 'Orphan', orphanDependents: true }),
    remove('configmaps/a', { dryRun: ['Some'] }),
    remove('configmaps/a', { kind: 'ConfigMap', apiVersion: 'v1' }),
  ],
  'options may be in the query': [
    post('configmaps', aMap('a')),
    remove('configmaps/a?propagationPolicy=Foreground'),
    post('configmaps', aMap('b')),
    remove('configmaps/b?propagationPolicy=Sideways'),
    post('pods', aPod('a', { nodeName: 'one' })),
    remove('pods/a?gracePeriodSeconds=7'),
    remove('pods/a?gracePeriodSeconds=soon'),
  ],
  'volumes and claims are protected': [
    post('persistentvolumes', aVolume()),
    remove('persistentvolumes/{case}'),
    mergePatch('persistentvolumes/{case}', { metadata: { finalizers: null } }),
    post('persistentvolumeclaims', aClaim('a')),
    remove('persistentvolumeclaims/a'),
    mergePatch('persistentvolumeclaims/a', { metadata: { finalizers: null } }),
  ],
  'a pod on no node goes at once': [post('pods', aPod('a')), remove('pods/a'), get('pods/a')],
  'a pod on a node gets time': [
    post('pods', aPod('a', { nodeName: 'one' })),
    remove('pods/a'),
    remove('pods/a', { gracePeriodSeconds: 60 }),
    remove('pods/a', { gracePeriodSeconds: 5 }),
    remove('pods/a', { gracePeriodSeconds: 0 }),
    get('pods/a'),
  ],
  'a pod says how much time it needs': [
    post('pods', aPod('a', { nodeName: 'one', terminationGracePeriodSeconds: 3 })),
    remove('pods/a'),
    post('pods', aPod('b', { nodeName: 'one' })),
    remove('pods/b', { gracePeriodSeconds: 0 }),
    get('pods/b'),
  ],
  'a pod that has ended goes at once': [
    post('pods', aPod('a', { nodeName: 'one' })),
    mergePatch('pods/a/status', { status: { phase: 'Succeeded' } }),
    remove('pods/a'),
    get('pods/a'),
  ],
  'a collection is deleted as a whole': [
    post('configmaps', aMap('a')),
    post('configmaps', held),
    post('configmaps', aMap('b')),
    remove('configmaps'),
    get('configmaps'),
  ],
  'a selection of a collection is deleted': [
    post('configmaps', labelled('a', { app: 'x' })),
    post('configmaps', labelled('b', { app: 'y' })),
    remove('configmaps?labelSelector=app%3Dx'),
    remove('configmaps?fieldSelector=metadata.name%3Dnone'),
    get('configmaps'),
  ],
  'a collection of all namespaces is not deleted': [remove('/api/v1/configmaps')],
};

import { aMap, aPod, aSet, aVolume } from '../objects.ts';
import { type Cases, get, mergePatch, post, put } from '../steps.ts';

const scale = (replicas: number, metadata: object = {}): object => ({
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  metadata: { name: 'a', namespace: '{case}', ...metadata },
  spec: { replicas },
});

/** What is wanted and what is are written through different doors. */
export const generations: Cases = {
  'a generation counts what is wanted': [
    post('statefulsets', aSet('a')),
    mergePatch('statefulsets/a', { metadata: { labels: { x: 'y' } } }),
    mergePatch('statefulsets/a', { spec: { replicas: 2 } }),
    mergePatch('statefulsets/a/status', { status: { replicas: 1, observedGeneration: 2 } }),
    get('statefulsets/a'),
  ],
  'not every kind has generations': [
    post('configmaps', aMap('a', { x: '1' })),
    mergePatch('configmaps/a', { data: { x: '2' } }),
  ],
  'status is not written with the object': [
    post('persistentvolumes', { ...aVolume(), status: { phase: 'Bound' } }),
    mergePatch('persistentvolumes/{case}', { status: { phase: 'Released', message: 'x' } }),
    get('persistentvolumes/{case}'),
  ],
  'the object is not written with its status': [
    post('persistentvolumes', aVolume()),
    mergePatch('persistentvolumes/{case}/status', {
      spec: { persistentVolumeReclaimPolicy: 'Delete' },
      status: { phase: 'Available', message: 'x' },
    }),
    get('persistentvolumes/{case}/status'),
  ],
  'metadata is written with the status, owners are not': [
    post('pods', aPod('a')),
    mergePatch('pods/a/status', {
      metadata: {
        labels: { x: 'y' },
        annotations: { x: 'y' },
        finalizers: ['example.com/a'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'b', uid: '1' }],
      },
    }),
  ],
  'a status has to be of the latest version, too': [
    post('pods', aPod('a')),
    mergePatch('pods/a/status', { metadata: { resourceVersion: '1' }, status: { phase: 'Running' } }),
    put('pods/a/status', { ...aPod('b'), status: { phase: 'Running' } }),
    put('pods/b/status', { ...aPod('b'), status: { phase: 'Running' } }),
    get('configmaps/a/status'),
  ],
  'who scales a set owns how many there are': [
    post('statefulsets', aSet('a', { replicas: 3 })),
    put('statefulsets/a/scale', scale(2)),
    get('statefulsets/a'),
  ],
  'a scale has to make sense': [
    post('statefulsets', aSet('a', { replicas: 3 })),
    put('statefulsets/a/scale', scale(-1)),
    put('statefulsets/a/scale', scale(2, { resourceVersion: '1' })),
    put('statefulsets/a/scale', scale(2, { uid: '00000000-0000-0000-0000-000000000000' })),
    put('statefulsets/a/scale', scale(2, { name: 'b' })),
  ],
  'owners are kept as they are said': [
    post('configmaps', aMap('a')),
    post('configmaps', {
      metadata: {
        name: 'b',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '{1.metadata.uid}', controller: true },
          { apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: '00000000-0000-0000-0000-000000000000' },
        ],
      },
    }),
  ],
};

import { aClaim, aMap, aPod, aSet, aVolume } from '../objects.ts';
import { apply, type Cases, get, mergePatch, patchAs, post, put, strategicPatch, watch } from '../steps.ts';

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const applied = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});

/** What nobody asks for, and anybody may. */
export const oddRequests: Cases = {
  'numbers in tables are numbers': [
    post('configmaps', aMap('a', { x: '1', y: '2' })),
    get('configmaps', TABLE),
    get('configmaps/a?includeObject=None', TABLE),
    post('configmaps?dryRun=All', aMap('b'), TABLE),
    get('roles', TABLE),
    get('rolebindings', TABLE),
  ],
  'a patch that makes no object': [
    post('configmaps', aMap('a', { x: '1' })),
    mergePatch('configmaps/a', { data: { x: 1 } }),
    mergePatch('configmaps/a?fieldValidation=Strict', { bogus: 1 }),
    patchAs('application/json-patch+json', 'configmaps/a', [{ op: 'add', path: '/data/y', value: 2 }]),
    mergePatch('configmaps/a?fieldManager=%01', {}),
    mergePatch('configmaps/a?fieldManager=a%C3%A9%02', {}),
  ],
  'one object is not watched by its name': [
    post('configmaps', aMap('a')),
    get('configmaps/a?watch=true'),
    watch('configmaps?watch=true&fieldSelector=metadata.name=a', 1),
    watch('configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&allowWatchBookmarks=true', 1),
    watch('configmaps?watch=true&sendInitialEvents=true&resourceVersionMatch=Bogus', 1),
    watch('configmaps?watch=true&continue=x', 1),
  ],
  'a name is looked at before anything else': [
    put('configmaps/p', aMap('p')),
    put('configmaps/p', aMap('other')),
    put('configmaps/p', { data: {} }),
    post('configmaps', aMap('q')),
    put('configmaps/q', aMap('other')),
    post('pods', aPod('b')),
    post('pods/b/binding', { target: { kind: 'Node', name: 'x' } }),
    post('pods/b/binding', { metadata: { name: 'c' }, target: { kind: 'Node', name: 'x' } }),
  ],
  'lists in odd ways': [
    post('configmaps', aMap('a')),
    post('configmaps', aMap('b')),
    get('configmaps?resourceVersion=0&limit=1'),
    get('configmaps?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1'),
    get('configmaps?limit=1&timeoutSeconds=x'),
    get('configmaps?timeoutSeconds=1'),
    get('configmaps/a?resourceVersion=0'),
    get('configmaps/a?resourceVersion=x'),
    get('configmaps/a?fieldSelector=x=y&limit=z'),
  ],
  'what is nowhere': [
    get('/apis/bogus.example.com/v1/things'),
    get('/apis/bogus.example.com/v1'),
    get('/apis/bogus.example.com'),
    get('/api/v2'),
    get('/api/v2/pods'),
    get('/apis/apps/v1beta9'),
    get('/apis/apps/v1beta9/statefulsets'),
    get('/apis/apps/v1/bogus'),
    get('/bogus'),
  ],
  'an apply that names a version makes what is not there': [
    apply('configmaps/a?fieldManager=one', applied('a', { resourceVersion: '5' })),
    apply('configmaps/a?fieldManager=one', applied('a', { resourceVersion: '5' })),
    apply('configmaps/b?fieldManager=one', applied('b', { uid: 'x' })),
  ],
  'how many pods a set has': [
    post('statefulsets', aSet('a', { replicas: 1 })),
    mergePatch('statefulsets/a/status', { status: { replicas: 1, readyReplicas: 5 } }),
    mergePatch('statefulsets/a/status', { status: { replicas: -1 } }),
    mergePatch('statefulsets/a/status', { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } }),
    mergePatch('statefulsets/a', { spec: { updateStrategy: { type: 'Bogus' } } }),
    mergePatch('statefulsets/a', { spec: { updateStrategy: { type: 'Bogus', rollingUpdate: null } } }),
  ],
  'what a pod tolerates': [
    post('pods', aPod('a')),
    strategicPatch('pods/a', { spec: { tolerations: [{ key: 'x' }] } }),
    strategicPatch('pods/a', { spec: { containers: [{ name: 'main', image: 'other' }] } }),
    strategicPatch('pods/a', { spec: { activeDeadlineSeconds: 5 } }),
  ],
  'what volumes and claims leave out': [
    post('persistentvolumes', aVolume()),
    mergePatch('persistentvolumes/{case}', { spec: { nodeAffinity: null } }),
    post('persistentvolumeclaims', aClaim('a', { dataSource: { kind: 'X', name: 'y' } })),
  ],
};

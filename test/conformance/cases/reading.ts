import { aMap } from '../objects.ts';
import { type Cases, get, post, put, remove } from '../steps.ts';

/** Objects are created, read, listed and deleted. */
export const reading: Cases = {
  'an object is created and read back': [post('configmaps', aMap('a', { x: '1' })), get('configmaps/a')],
  'kind and version may be said': [
    post('configmaps', { ...aMap('a'), kind: 'ConfigMap', apiVersion: 'v1' }),
    post('configmaps', { ...aMap('b'), kind: 'ConfigMap' }),
    post('configmaps', { ...aMap('c'), apiVersion: 'v1' }),
  ],
  'what is not there is not found': [get('configmaps/none'), remove('configmaps/none'), get('leases/none')],
  'a second object of the same name is refused': [
    post('configmaps', aMap('a')),
    post('configmaps', aMap('a')),
    post('leases', aMap('a')),
    post('leases', aMap('a')),
  ],
  'an object may say its namespace, and has to be right': [
    post('configmaps', aMap('a', {}, { namespace: '{case}' })),
    post('configmaps', aMap('b', {}, { namespace: 'default' })),
  ],
  'an object without a name is refused': [post('configmaps', { data: {} }), post('configmaps', { metadata: {} })],
  'an update has the name of its path': [
    post('configmaps', aMap('a')),
    put('configmaps/a', aMap('b')),
    put('configmaps/a', { data: {} }),
    put('configmaps/a', aMap('a', {}, { namespace: 'default' })),
  ],
  'what the system says of an object cannot be said by who creates it': [
    post('configmaps', aMap('a', {}, { uid: '00000000-0000-0000-0000-000000000000' })),
    post('configmaps', aMap('b', {}, { creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 })),
    post('configmaps', aMap('c', {}, { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 9 })),
    post('configmaps', aMap('d', {}, { selfLink: '/somewhere' })),
  ],
  'an object that is created has no version yet': [post('configmaps', aMap('a', {}, { resourceVersion: '1' }))],
  'nulls are as good as nothing': [
    post('configmaps', { metadata: { name: 'a', labels: null, annotations: { x: null } }, data: null }),
    get('configmaps/a'),
  ],
  'a list without objects is a list': [get('configmaps'), get('leases')],
  'a list is in the order of names': [
    post('configmaps', aMap('b')),
    post('configmaps', aMap('a.b')),
    post('configmaps', aMap('a-b')),
    post('configmaps', aMap('a')),
    get('configmaps'),
  ],
  'a list may be of all namespaces': [
    post('configmaps', aMap('a', {}, { labels: { of: '{case}' } })),
    get('/api/v1/configmaps?labelSelector=of%3D{case}'),
    post('/api/v1/configmaps', aMap('b')),
  ],
  'reading at any version is reading': [post('configmaps', aMap('a')), get('configmaps/a?resourceVersion=0')],
  'an object of another namespace is not in this one': [
    post('configmaps', aMap('a')),
    get('/api/v1/namespaces/default/configmaps/a'),
    get('/api/v1/namespaces/nowhere/configmaps'),
  ],
};

/** What the server answers, in the words that a kube-apiserver v1.36 answers with. */
import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import type { TransportRequest } from '../../kit/kube/transport.ts';
import { Cluster } from '../cluster.ts';
import { seeded } from '../seeded.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

interface Asking {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

function asker() {
  const clock = new VirtualClock();
  const cluster = new Cluster({ clock, random: seeded(7) });
  const transport = cluster.transport();
  const ask = async ({ method, path, body, type = 'application/json' }: Asking) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await transport.request({
      method,
      path,
      headers: { 'content-type': type },
      signal: new AbortController().signal,
      ...(body !== undefined && { body: text }),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  return { ask, cluster, clock };
}

/** On a cluster with the config map `a`, whose data is `{"x":"1"}`. */
const refused: readonly (Asking & { readonly why: string; readonly status: number; readonly message: string })[] = [
  {
    why: 'what is not there',
    method: 'GET',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/x',
    status: 404,
    message: 'leases.coordination.k8s.io "x" not found',
  },
  {
    why: 'a resource that nobody knows',
    method: 'GET',
    path: '/api/v1/foos',
    status: 404,
    message: 'the server could not find the requested resource',
  },
  {
    why: 'a name that is taken',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'a' } },
    status: 409,
    message: 'configmaps "a" already exists',
  },
  {
    why: 'no name',
    method: 'POST',
    path: MAPS,
    body: { metadata: {} },
    status: 422,
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    why: 'a version on what is new',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'b', resourceVersion: '1' } },
    status: 500,
    message: 'resourceVersion should not be set on objects to be created',
  },
  {
    why: 'another namespace than the path says',
    method: 'POST',
    path: MAPS,
    body: { metadata: { name: 'b', namespace: 'other' } },
    status: 400,
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    why: 'a namespace that is not there',
    method: 'POST',
    path: '/api/v1/namespaces/nope/configmaps',
    body: { metadata: { name: 'b' } },
    status: 404,
    message: 'namespaces "nope" not found',
  },
  {
    why: 'another name than the path says',
    method: 'PUT',
    path: `${MAPS}/a`,
    body: { metadata: { name: 'b' } },
    status: 400,
    message: 'the name of the object (b) does not match the name on the URL (a)',
  },
  {
    why: 'an update of an old version',
    method: 'PUT',
    path: `${MAPS}/a`,
    body: { metadata: { name: 'a', resourceVersion: '1' } },
    status: 409,
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  },
  {
    why: 'an update of what is not there',
    method: 'PUT',
    path: `${MAPS}/zz`,
    body: { metadata: { name: 'zz' } },
    status: 404,
    message: 'configmaps "zz" not found',
  },
  {
    why: 'a patch of another uid',
    method: 'PATCH',
    path: `${MAPS}/a`,
    body: { metadata: { uid: '1' } },
    type: MERGE,
    status: 422,
    message: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "1": field is immutable',
  },
  {
    why: 'a patch whose test fails',
    method: 'PATCH',
    path: `${MAPS}/a`,
    body: [{ op: 'test', path: '/data/x', value: '2' }],
    type: JSON_PATCH,
    status: 422,
    message: 'the server rejected our request due to an error in our request',
  },
  {
    why: 'a patch that says not what it is',
    method: 'PATCH',
    path: `${MAPS}/a`,
    body: {},
    status: 415,
    message: '415: Unsupported Media Type',
  },
  {
    why: 'a finalizer that belongs to nobody',
    method: 'PATCH',
    path: `${MAPS}/a`,
    body: { metadata: { finalizers: ['x'] } },
    type: MERGE,
    status: 422,
    message:
      'ConfigMap "a" is invalid: metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  },
  {
    why: 'the deletion of an old version',
    method: 'DELETE',
    path: `${MAPS}/a`,
    body: { preconditions: { resourceVersion: '1' } },
    status: 409,
    message:
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (16). The object might have been modified',
  },
  {
    why: 'a version of the future',
    method: 'GET',
    path: `${MAPS}?resourceVersion=1000&resourceVersionMatch=NotOlderThan`,
    status: 504,
    message: 'Timeout: Too large resource version: 1000, current: 16',
  },
  {
    why: 'a match without a version',
    method: 'GET',
    path: `${MAPS}?resourceVersionMatch=Exact`,
    status: 422,
    message:
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  },
  {
    why: 'a field that cannot be selected by',
    method: 'GET',
    path: `${MAPS}?fieldSelector=data%3Dc`,
    status: 400,
    message: '"data" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    why: 'a method that a collection does not have',
    method: 'PUT',
    path: MAPS,
    body: {},
    status: 405,
    message: 'the server does not allow this method on the requested resource',
  },
  {
    why: 'the deletion of a namespace that every cluster has',
    method: 'DELETE',
    path: '/api/v1/namespaces/default',
    status: 403,
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  },
];

test.each(refused)('refuses $why', async ({ status, message, why: _, ...asking }) => {
  const { ask } = asker();
  await ask({ method: 'POST', path: MAPS, body: { metadata: { name: 'a' }, data: { x: '1' } } });
  const answer = await ask(asking);
  expect(answer).toMatchObject({ status, body: { kind: 'Status', status: 'Failure', code: status, message } });
});

test('an object with finalizers is marked when it is deleted, gets no new ones, and goes with the last', async () => {
  const { ask } = asker();
  const path = `${MAPS}/a`;
  await ask({ method: 'POST', path: MAPS, body: { metadata: { name: 'a', finalizers: ['x.y/z'] } } });
  const marked = await ask({ method: 'DELETE', path, body: { propagationPolicy: 'Foreground' } });
  expect(marked.body.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    finalizers: ['x.y/z', 'foregroundDeletion'],
  });
  const again = await ask({ method: 'DELETE', path });
  expect(again.body).toEqual(marked.body);
  const added = await ask({
    method: 'PATCH',
    path,
    body: { metadata: { finalizers: ['x.y/z', 'u.i/o'] } },
    type: MERGE,
  });
  expect(added.body.message).toBe(
    'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"u.i/o"}',
  );
  await ask({ method: 'PATCH', path, body: { metadata: { finalizers: null } }, type: MERGE });
  expect((await ask({ method: 'GET', path })).status).toBe(404);
});

test('a pod on a node is told to end, and goes when the node says so; one on no node goes at once', async () => {
  const { ask } = asker();
  const path = '/api/v1/namespaces/default/pods';
  const containers = [{ name: 'c', image: 'i' }];
  const onNode = { nodeName: 'n', terminationGracePeriodSeconds: 5, containers };
  await ask({ method: 'POST', path, body: { metadata: { name: 'placed' }, spec: onNode } });
  await ask({ method: 'POST', path, body: { metadata: { name: 'waiting' }, spec: { containers } } });
  const told = await ask({ method: 'DELETE', path: `${path}/placed` });
  expect(told.body.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:05Z',
    deletionGracePeriodSeconds: 5,
    generation: 2,
  });
  await ask({ method: 'DELETE', path: `${path}/waiting` });
  const left = await ask({ method: 'GET', path });
  expect(left.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['placed']);
  await ask({ method: 'DELETE', path: `${path}/placed`, body: { gracePeriodSeconds: 0 } });
  expect((await ask({ method: 'GET', path: `${path}/placed` })).status).toBe(404);
});

test('an update that changes nothing writes nothing', async () => {
  const { ask, cluster } = asker();
  const made = await ask({ method: 'POST', path: MAPS, body: { metadata: { name: 'a' }, data: { x: '1' } } });
  const before = cluster.store.revision;
  await ask({ method: 'PUT', path: `${MAPS}/a`, body: made.body });
  await ask({ method: 'PATCH', path: `${MAPS}/a`, body: { data: { x: '1' } }, type: MERGE });
  expect(cluster.store.revision).toBe(before);
});

test('a dry run answers as usual and stores nothing', async () => {
  const { ask, cluster } = asker();
  const before = cluster.store.revision;
  const made = await ask({ method: 'POST', path: `${MAPS}?dryRun=All`, body: { metadata: { name: 'a' } } });
  expect(made).toMatchObject({ status: 201, body: { metadata: { name: 'a', uid: expect.any(String) } } });
  expect(cluster.store.revision).toBe(before);
});

test('a scale is read and written in the same words for every kind', async () => {
  const { ask } = asker();
  const path = '/apis/apps/v1/namespaces/default/statefulsets';
  const selector = { matchLabels: { app: 'db' } };
  const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await ask({ method: 'POST', path, body: { metadata: { name: 's' }, spec: { replicas: 2, selector, template } } });
  const scale = await ask({ method: 'GET', path: `${path}/s/scale` });
  expect(scale.body).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 2 },
    status: { replicas: 0, selector: 'app=db' },
  });
  await ask({ method: 'PATCH', path: `${path}/s/scale`, body: { spec: { replicas: 5 } }, type: MERGE });
  const set = await ask({ method: 'GET', path: `${path}/s` });
  expect([set.body.spec.replicas, set.body.metadata.generation]).toEqual([5, 2]);
});

test('the status is written through its own door, and only there', async () => {
  const { ask } = asker();
  const path = '/api/v1/nodes';
  await ask({ method: 'POST', path, body: { metadata: { name: 'n' } } });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await ask({ method: 'PATCH', path: `${path}/n`, body: { status: { conditions } }, type: MERGE });
  expect((await ask({ method: 'GET', path: `${path}/n` })).body.status?.conditions).toBeUndefined();
  const body = { status: { conditions }, spec: { unschedulable: true } };
  await ask({ method: 'PATCH', path: `${path}/n/status`, body, type: MERGE });
  const node = (await ask({ method: 'GET', path: `${path}/n` })).body;
  expect([node.status.conditions, node.spec?.unschedulable]).toMatchObject([conditions, undefined]);
});

test('a namespace that is deleted takes nothing new, and goes when it is finalized', async () => {
  const { ask } = asker();
  await ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'n' } } });
  const going = await ask({ method: 'DELETE', path: '/api/v1/namespaces/n' });
  expect(going.body).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
  const late = await ask({
    method: 'POST',
    path: '/api/v1/namespaces/n/configmaps',
    body: { metadata: { name: 'a' } },
  });
  expect(late.body.message).toBe(
    'configmaps "a" is forbidden: unable to create new content in namespace n because it is being terminated',
  );
  await ask({ method: 'PUT', path: '/api/v1/namespaces/n/finalize', body: { ...going.body, spec: {} } });
  expect((await ask({ method: 'GET', path: '/api/v1/namespaces/n' })).status).toBe(404);
});

test.each([
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/deployments?watch=true',
  '/api/v1/namespaces/default/endpoints/a',
  '/apis/batch/v1/jobs',
  '/apis/networking.k8s.io/v1/ingresses',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
])('what Kubernetes has and the sandbox has not is refused as such: %s', async (path) => {
  const { status, body } = await asker().ask({ method: 'GET', path });
  expect({ status, reason: body.reason }).toEqual({ status: 501, reason: 'NotImplemented' });
  expect(body.message).toMatch(
    /^the sandbox has no [a-z.0-9]+, only the kinds that Holdfast needs \(kubectl api-resources lists them\): docs\/sandbox.md says what it leaves out$/,
  );
});

test('what nobody has is not found, and nothing that is left out is listed', async () => {
  const { ask } = asker();
  expect((await ask({ method: 'GET', path: '/apis/apps/v1/inventions' })).status).toBe(404);
  const { body } = await ask({ method: 'GET', path: '/apis/apps/v1' });
  const names = body.resources.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['statefulsets', 'statefulsets/scale', 'statefulsets/status']);
});

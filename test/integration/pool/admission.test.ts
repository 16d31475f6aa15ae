/** The policies in deploy/admission, on a real API server: how many pods the StatefulSet of a pool has is for the operator to say, and for nobody else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { statefulSetOf } from '../../../src/pool/objects/stateful-set.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { RawClient, RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { hasNoWarnings } from '../admission.ts';
import { shippedRules } from '../agents.ts';
import { kubectl } from './kubectl.ts';
import { addPools, aPool, poolsIn, type RawPool, setsIn } from './shipped.ts';

const SETS = setsIn('default');
const ACCOUNT = 'holdfast-pool';

type RawSet = RawObject & { readonly spec: { readonly replicas: number } };

let plane: ControlPlane;
let admin: RawClient;
let operator: ServiceAccount;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  ({ admin } = plane);
  await addPools(plane);
  await admin.post('/api/v1/namespaces', { metadata: { name: 'holdfast' } });
  const clusterRules = await shippedRules(ACCOUNT, 'ClusterRole');
  operator = await createServiceAccount(plane, { name: ACCOUNT, namespace: 'holdfast', clusterRules });
  const file = join(import.meta.dirname, '../../../deploy/admission/holdfast-pool.yaml');
  for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
    const object: RawObject = document.toJS();
    const plural = object.kind.endsWith('Policy') ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings';
    await admin.post(`/apis/admissionregistration.k8s.io/v1/${plural}`, object);
  }
  const probe = await setOfPool('probe');
  await eventually(
    async () => {
      for (const path of [probe, `${probe}/scale`]) {
        const { status } = await admin.request('PATCH', `${path}?dryRun=All`, replicas(0), MERGE);
        expect(status).toBe(403);
      }
    },
    { for: 'the policies to be in force' },
  );
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

/** As the pools are made here. */
const AT_FIRST = 3;
const MERGE = 'application/merge-patch+json';
const replicas = (count: number) => ({ spec: { replicas: count } });

/** A pool, and its StatefulSet as the operator makes it; gives the path of the latter. */
async function setOfPool(name: string): Promise<string> {
  const pool = await admin.post<RawPool>(poolsIn('default'), aPool(name));
  await operator.client.post(SETS, statefulSetOf(pool));
  return `${SETS}/${name}-sts`;
}

const sentence = (name: string): string =>
  `Only the operator of pools changes how many pods the StatefulSet ${name}-sts has, since agents hand over what they hold before they leave: use kubectl scale pvpool ${name} --replicas=N`;

const replicasAt = async (path: string): Promise<number> => (await admin.get<RawSet>(path)).spec.replicas;

/** Somebody who may do everything is refused as well. */
async function isRefused(write: Promise<unknown>, policy: string, path: string): Promise<void> {
  const [, name = ''] = /([^/]+)-sts$/.exec(path) ?? [];
  const refusal = await write.then(
    () => 'it was allowed',
    (error: Error) => error.message,
  );
  expect(refusal).toContain('answered 403');
  expect(refusal).toContain(`ValidatingAdmissionPolicy 'holdfast-pool-${policy}'`);
  expect(refusal).toContain(sentence(name));
  expect(await replicasAt(path)).toBe(AT_FIRST);
}

test('the server finds nothing to warn of in the policies', async () => {
  await hasNoWarnings(admin, 2);
});

describe('nobody but the operator', () => {
  let path: string;
  beforeAll(async () => {
    path = await setOfPool('kept');
  });

  test.each([0, 2, 9])('patches its replicas, to %i', async (count) => {
    await isRefused(admin.patch(path, replicas(count)), 'replicas', path);
    await isRefused(admin.patch(path, replicas(count), 'strategic-merge'), 'replicas', path);
    const steps = [{ op: 'replace', path: '/spec/replicas', value: count }];
    await isRefused(admin.patch(path, steps, 'json'), 'replicas', path);
  });

  test('replaces it by one with other replicas, or by one that does not say how many', async () => {
    const set = await admin.get<RawSet>(path);
    await isRefused(admin.put(path, { ...set, spec: { ...set.spec, replicas: 1 } }), 'replicas', path);
    const { replicas: _, ...silent } = set.spec;
    await isRefused(admin.put(path, { ...set, spec: silent }), 'replicas', path);
  });

  test('applies other replicas', async () => {
    const applied = { apiVersion: 'apps/v1', kind: 'StatefulSet', ...replicas(1) };
    const write = admin.patch(`${path}?fieldManager=person&force=true`, applied, 'apply');
    await isRefused(write, 'replicas', path);
  });

  test('lets its pods begin at another ordinal, by which the first would go', async () => {
    await isRefused(admin.patch(path, { spec: { ordinals: { start: 1 } } }), 'replicas', path);
  });

  test('writes its scale', async () => {
    await isRefused(admin.patch(`${path}/scale`, replicas(2)), 'scale', path);
    const scale = await admin.get<RawSet>(`${path}/scale`);
    await isRefused(admin.put(`${path}/scale`, { ...scale, spec: { replicas: 0 } }), 'scale', path);
  });

  test('scales it with kubectl, and is told what to do instead', async () => {
    const { code, stderr } = await kubectl(plane.kubeconfig, 'scale', 'statefulset', 'kept-sts', '--replicas=1');
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence('kept'))]);
    const instead = await kubectl(plane.kubeconfig, 'scale', 'pvpool', 'kept', '--replicas=1');
    expect(instead).toMatchObject({ code: 0 });
    expect(await replicasAt(path)).toBe(3);
  });

  test('is kept from writing anything else of it', async () => {
    await admin.patch(path, { metadata: { labels: { team: 'storage' } }, spec: { minReadySeconds: 5 } });
    await admin.patch(path, replicas(3));
    await admin.patch(`${path}/scale`, replicas(3));
    expect(await admin.get(path)).toMatchObject({ metadata: { labels: { team: 'storage' } } });
  });

  test('is kept from deleting it, whose claims stay', async () => {
    const doomed = await setOfPool('doomed');
    await admin.delete(doomed);
    await eventually(async () => (await admin.request('GET', doomed)).status === 404);
  });
});

test('another service account of the same name is not the operator', async () => {
  const path = await setOfPool('guarded');
  const clusterRules = [{ apiGroups: ['apps'], resources: ['statefulsets', 'statefulsets/scale'], verbs: ['*'] }];
  await using impostor = await createServiceAccount(plane, { name: ACCOUNT, namespace: 'default', clusterRules });
  await isRefused(impostor.client.patch(path, replicas(0)), 'replicas', path);
  await isRefused(impostor.client.patch(`${path}/scale`, replicas(0)), 'scale', path);
});

describe('the operator', () => {
  test('changes the replicas with a precondition, up and down', async () => {
    const path = await setOfPool('moved');
    const to = async (from: number, count: number) => {
      const { metadata } = await admin.get(path);
      await operator.client.patch(
        path,
        [
          { op: 'test', path: '/metadata/uid', value: metadata.uid },
          { op: 'test', path: '/spec/replicas', value: from },
          { op: 'replace', path: '/spec/replicas', value: count },
        ],
        'json',
      );
      expect(await replicasAt(path)).toBe(count);
    };
    await to(3, 6);
    await to(6, 2);
  });
});

describe('what is not of a pool is left alone', () => {
  const aSet = (name: string, labels: Readonly<Record<string, string>>, owner?: object) => ({
    metadata: { name, ...(owner && { ownerReferences: [owner] }) },
    spec: {
      replicas: 2,
      serviceName: 'others',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'other', image: 'other:1' }] } },
    },
  });

  const ownedBy = (kind: string, apiVersion: string) => ({ apiVersion, kind, name: 'x', uid: 'x', controller: true });

  test.each([
    ['others', { app: 'others' }, undefined],
    ['others-sts', { app: 'others' }, undefined],
    ['labelled', { 'pv-pool': 'labelled' }, undefined],
    ['more-sts', { 'pv-pool': 'more', app: 'others' }, undefined],
    ['owned', { app: 'owned' }, ownedBy('Database', 'example.com/v1')],
    ['alike', { app: 'alike' }, ownedBy('PvPool', 'pvpool.example.com/v1')],
  ])('%s', async (name, labels, owner) => {
    await admin.post(SETS, aSet(name, labels, owner));
    const path = `${SETS}/${name}`;
    await admin.patch(path, { spec: { replicas: 1, ordinals: { start: 3 } } });
    await admin.patch(`${path}/scale`, replicas(0));
    expect(await replicasAt(path)).toBe(0);
    const scaled = await kubectl(plane.kubeconfig, 'scale', 'statefulset', name, '--replicas=3');
    expect(scaled).toMatchObject({ code: 0, stderr: '' });
    expect(await replicasAt(path)).toBe(3);
  });

  test('a StatefulSet whose pool is gone and that was to stay: the scale tells how', async () => {
    const path = await setOfPool('orphan');
    // As the garbage collector does when somebody deletes the pool alone.
    await admin.patch(path, { metadata: { ownerReferences: null } });
    const refusal = admin.patch(`${path}/scale`, replicas(1));
    await expect(refusal).rejects.toThrow('If that pool is gone, set spec.replicas of the StatefulSet itself');
    await admin.patch(path, replicas(1));
    expect(await replicasAt(path)).toBe(1);
  });
});

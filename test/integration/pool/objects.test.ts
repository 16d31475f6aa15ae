/** The objects of a pool on a real control plane: they are taken as they are, and its controllers make of them what is meant. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatefulSet } from '../../../src/api/stateful-sets.ts';
import type { PvPoolSpec } from '../../../src/pool/contract.ts';
import { budgetOf } from '../../../src/pool/objects/budget.ts';
import { serviceOf } from '../../../src/pool/objects/service.ts';
import { statefulSetOf } from '../../../src/pool/objects/stateful-set.ts';
import { tokenSecretOf } from '../../../src/pool/objects/token-secret.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { RawClient, RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { addPools, aPool, poolsIn, type RawPool, setsIn } from './shipped.ts';

/** Whose pods the API server takes only if they ask for no privilege at all. */
const RESTRICTED = 'restricted';

interface RawPod extends RawObject {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

let plane: ControlPlane;
let admin: RawClient;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  ({ admin } = plane);
  await addPools(plane);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await admin.post('/api/v1/namespaces', { metadata: { name: RESTRICTED, labels } });
  await eventually(
    async () => (await admin.request('GET', `/api/v1/namespaces/${RESTRICTED}/serviceaccounts/default`)).status === 200,
  );
});
afterAll(() => plane?.[Symbol.asyncDispose]());

const core = (plural: string, namespace = 'default') => `/api/v1/namespaces/${namespace}/${plural}`;

const poolOf = (name: string, spec: Partial<PvPoolSpec> = {}, namespace = 'default'): Promise<RawPool> =>
  admin.post<RawPool>(poolsIn(namespace), aPool(name, spec));

const ownerOf = ({ metadata }: RawPool) => ({
  apiVersion: 'pvpool.noobaa.com/v1',
  kind: 'PvPool',
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

async function podsOf(pool: string, count: number, namespace = 'default'): Promise<readonly RawPod[]> {
  return await eventually(async () => {
    const { items } = await admin.list<RawPod>(`${core('pods', namespace)}?labelSelector=pv-pool=${pool}`);
    expect(items).toHaveLength(count);
    return items;
  });
}

describe("with the original's manifest", () => {
  let pool: RawPool;
  beforeAll(async () => {
    pool = await poolOf('pvpool-1', { image: 'kfirpayne/storage-agent:1' });
    await admin.post(core('services'), serviceOf(pool));
    await admin.post(core('secrets'), tokenSecretOf(pool, 'f00d'));
    await admin.post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', budgetOf(pool));
    await admin.post(setsIn('default'), statefulSetOf(pool));
  });

  test('the Service is as the original makes it', async () => {
    expect(await admin.get(`${core('services')}/pvpool-1-srv`)).toMatchObject({
      metadata: { ownerReferences: [ownerOf(pool)] },
      spec: {
        type: 'ClusterIP',
        selector: { 'pv-pool': 'pvpool-1' },
        ports: [{ name: 'storage-agent-api', port: 8080, targetPort: 8080, protocol: 'TCP' }],
      },
    });
  });

  test('the StatefulSet has what the original gives it, and what ours adds', async () => {
    const share = { cpu: '100m', memory: '100M' };
    const spread = (topologyKey: string) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { 'pv-pool': 'pvpool-1' } },
    });
    expect(await admin.get(`${setsIn('default')}/pvpool-1-sts`)).toMatchObject({
      metadata: { ownerReferences: [ownerOf(pool)] },
      spec: {
        replicas: 3,
        serviceName: 'pvpool-1-srv',
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { 'pv-pool': 'pvpool-1' } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        template: {
          metadata: { labels: { 'pv-pool': 'pvpool-1' } },
          spec: {
            containers: [
              {
                name: 'storage-agent',
                image: 'kfirpayne/storage-agent:1',
                env: [
                  { name: 'PV_PATH', value: '/data' },
                  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  { name: 'HOLDFAST_TOKEN_FILE', value: '/var/run/secrets/holdfast.dev/pool/token' },
                ],
                resources: { requests: share, limits: share },
                readinessProbe: { tcpSocket: { port: 8080 } },
                volumeMounts: [
                  { name: 'vol', mountPath: '/data' },
                  { name: 'token', mountPath: '/var/run/secrets/holdfast.dev/pool', readOnly: true },
                ],
              },
            ],
            topologySpreadConstraints: [spread('topology.kubernetes.io/zone'), spread('kubernetes.io/hostname')],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'vol' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
          },
        ],
      },
    });
  });

  test('the controllers make the pods all at once, and a labelled claim for each', async () => {
    const pods = await podsOf('pvpool-1', 3);
    expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual([
      'pvpool-1-sts-0',
      'pvpool-1-sts-1',
      'pvpool-1-sts-2',
    ]);
    const { items } = await admin.list(`${core('persistentvolumeclaims')}?labelSelector=pv-pool=pvpool-1`);
    expect(items.map(({ metadata, spec }) => [metadata.name, spec])).toEqual(
      ['vol-pvpool-1-sts-0', 'vol-pvpool-1-sts-1', 'vol-pvpool-1-sts-2'].map((name) => [
        name,
        {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '5Gi' } },
          volumeMode: 'Filesystem',
        },
      ]),
    );
  });

  test('the Secret holds the token, and the budget lets one pod go at a time', async () => {
    const { data } = await admin.get<RawObject & { data: Record<string, string> }>(`${core('secrets')}/pvpool-1-token`);
    expect(Buffer.from(data.token ?? '', 'base64').toString()).toBe('f00d');
    await eventually(async () => {
      const budget = await admin.get('/apis/policy/v1/namespaces/default/poddisruptionbudgets/pvpool-1-pdb');
      expect(budget).toMatchObject({ spec: { maxUnavailable: 1 }, status: { expectedPods: 3, desiredHealthy: 2 } });
    });
  });

  test('all of it goes with the pool, but for the claims, whose data stay', async () => {
    await admin.delete(`${poolsIn('default')}/pvpool-1`, { propagationPolicy: 'Background' });
    await eventually(
      async () => {
        const paths = [
          `${core('services')}/pvpool-1-srv`,
          `${core('secrets')}/pvpool-1-token`,
          '/apis/policy/v1/namespaces/default/poddisruptionbudgets/pvpool-1-pdb',
          `${setsIn('default')}/pvpool-1-sts`,
        ];
        const answers = await Promise.all(paths.map((path) => admin.request('GET', path)));
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      },
      { timeout: 120_000 },
    );
    const { items } = await admin.list(`${core('persistentvolumeclaims')}?labelSelector=pv-pool=pvpool-1`);
    expect(items).toHaveLength(3);
  });
});

test('the class and the size that a pool asks for are those of its claims', async () => {
  const pool = await poolOf('classy', { storageClass: 'fast', pvSizeGB: 1_024, numPVs: 1 });
  await admin.post(setsIn('default'), statefulSetOf(pool));
  const path = `${core('persistentvolumeclaims')}/vol-classy-sts-0`;
  const claim = await eventually(() => admin.get(path));
  expect(claim).toMatchObject({ spec: { storageClassName: 'fast', resources: { requests: { storage: '1Ti' } } } });
});

test('a pool of the longest name has pods', async () => {
  const name = 'a'.repeat(48);
  await admin.post(setsIn('default'), statefulSetOf(await poolOf(name, { numPVs: 1 })));
  await podsOf(name, 1);
});

describe('where Pod Security allows no privilege', () => {
  const podFrom = ({ spec }: StatefulSet) => {
    const { metadata, spec: pod } = spec?.template ?? {};
    const volumes = [...((pod as { volumes?: object[] }).volumes ?? []), { name: 'vol', emptyDir: {} }];
    return { metadata: { ...metadata, name: 'from-template' }, spec: { ...pod, volumes } };
  };
  const verdictOn = (set: StatefulSet) =>
    admin.request<RawObject & { message?: string }>('POST', `${core('pods', RESTRICTED)}?dryRun=All`, podFrom(set));

  test('the pods of a new pool run', async () => {
    const pool = await poolOf('harmless', { numPVs: 2 }, RESTRICTED);
    expect(await verdictOn(statefulSetOf(pool))).toMatchObject({ status: 201 });
    const { headers } = await admin.request('POST', `${setsIn(RESTRICTED)}?dryRun=All`, statefulSetOf(pool));
    expect(headers).not.toHaveProperty('warning');
    await admin.post(setsIn(RESTRICTED), statefulSetOf(pool));
    const [pod] = await podsOf('harmless', 2, RESTRICTED);
    expect(pod?.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        fsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [{ securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
    });
  });

  test('those that are left to their image do not', async () => {
    const pool = await poolOf('willful', { securityContext: 'Image' }, RESTRICTED);
    const { status, body } = await verdictOn(statefulSetOf(pool));
    expect([status, body.message]).toEqual([403, expect.stringContaining('violates PodSecurity "restricted:latest"')]);
  });
});

describe('a StatefulSet that the original has made', () => {
  /** Byte for byte what it creates. */
  const originalSet = (pool: RawPool) => {
    const labels = { 'pv-pool': pool.metadata.name };
    const share = { cpu: '100m', memory: '100M' };
    return {
      metadata: { name: `${pool.metadata.name}-sts`, namespace: 'default', ownerReferences: [ownerOf(pool)] },
      spec: {
        replicas: pool.spec.numPVs,
        selector: { matchLabels: labels },
        serviceName: `${pool.metadata.name}-srv`,
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'storage-agent',
                image: pool.spec.image,
                env: [{ name: 'PV_PATH', value: '/data' }],
                command: ['node', 'storage-agent.js'],
                resources: { limits: share, requests: share },
                volumeMounts: [{ name: 'vol', mountPath: '/data' }],
              },
            ],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'vol' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: `${pool.spec.pvSizeGB}Gi` } },
            },
          },
        ],
      },
    };
  };

  type RawSet = RawObject & StatefulSet & { readonly metadata: RawObject['metadata'] };
  const inherited = async (name: string, numPVs = 3): Promise<readonly [RawPool, RawSet]> => {
    const pool = await poolOf(name, { numPVs });
    return [pool, await admin.post<RawSet>(setsIn('default'), originalSet(pool))];
  };
  const changed = async ({ metadata }: RawPool, spec: Partial<PvPoolSpec>): Promise<RawPool> =>
    admin.patch<RawPool>(`${poolsIn('default')}/${metadata.name}`, { spec });

  /** As a kubelet would say: without that, the controller touches none of the pods that come one after another. */
  const isReady = async (pod: string): Promise<void> => {
    const path = `${core('pods')}/${pod}`;
    await eventually(() => admin.get(path));
    const conditions = [{ type: 'Ready', status: 'True' }];
    await admin.patch(`${path}/status`, { status: { phase: 'Running', conditions } });
    await eventually(async () => {
      const { status } = await admin.get<RawSet>(`${setsIn('default')}/${pod.replace(/-0$/, '')}`);
      expect(status?.readyReplicas).toBe(1);
    });
  };

  /** Its controller writes it, too. */
  const rewritten = (path: string, pool: RawPool): Promise<RawSet> =>
    eventually(async () => admin.put<RawSet>(path, statefulSetOf(pool, await admin.get<RawSet>(path))));

  test('keeps its template whatever else is asked for', async () => {
    const [pool, set] = await inherited('old');
    expect(statefulSetOf(pool, set)).toBe(set);
    expect(statefulSetOf(await changed(pool, { numPVs: 5, pvSizeGB: 9, claims: { whenScaled: 'Delete' } }), set)).toBe(
      set,
    );
  });

  test('gets ours with a new image, goes on to run as its image says, and replaces no pod before it is told to', async () => {
    const [before, set] = await inherited('renewed', 1);
    await isReady('renewed-sts-0');
    const pool = await changed(before, { image: 'agents:2' });
    const path = `${setsIn('default')}/renewed-sts`;
    const written = await rewritten(path, pool);
    expect(written.spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      volumeClaimTemplates: set.spec?.volumeClaimTemplates,
    });
    expect(written.spec?.template?.spec?.containers?.[0]).not.toHaveProperty('command');
    expect(written.spec?.template?.spec?.securityContext).toEqual({});
    expect(statefulSetOf(pool, written)).toBe(written);
    await eventually(async () => {
      const { status } = await admin.get<RawSet>(path);
      expect(status?.observedGeneration).toBe(written.metadata.generation);
      expect(status?.updateRevision).not.toBe(status?.currentRevision);
    });
    expect((await podsOf('renewed', 1)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['agents:1']);
    await admin.patch(path, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await eventually(async () => {
      const [pod] = await podsOf('renewed', 1);
      expect(pod?.spec.containers[0]?.image).toBe('agents:2');
    });
  });

  test('is restricted when that is asked for, and stays so when it is asked for no longer', async () => {
    const [before, set] = await inherited('opted');
    const pool = await changed(before, { securityContext: 'Restricted' });
    const path = `${setsIn('default')}/opted-sts`;
    expect(statefulSetOf(pool, set)).not.toBe(set);
    const written = await rewritten(path, pool);
    expect(written.spec?.template?.spec?.securityContext).toMatchObject({ runAsUser: 65_532 });
    const { securityContext: _, ...spec } = pool.spec;
    expect(statefulSetOf({ ...pool, spec }, written)).toBe(written);
  });
});

test('one of ours is known again as the server gives it back, and not when something of the pod is asked for anew', async () => {
  const pool = await poolOf('known', { resources: { requests: { memory: '1Gi', cpu: '1' } } });
  const set = await admin.post<RawObject & StatefulSet>(setsIn('default'), statefulSetOf(pool));
  expect(statefulSetOf(pool, set)).toBe(set);
  const asked = (spec: Partial<PvPoolSpec>) => statefulSetOf({ ...pool, spec: { ...pool.spec, ...spec } }, set);
  expect(asked({ numPVs: 7, pvSizeGB: 8, resources: { requests: { cpu: '1', memory: '1Gi' } } })).toBe(set);
  for (const spec of [
    { image: 'agents:2' },
    { args: ['storage-agent'] },
    { resources: { requests: { cpu: '2' } } },
    { securityContext: 'Image' as const },
    { drain: { bandwidth: '50Mi' } },
  ]) {
    expect(asked(spec)).not.toBe(set);
  }
});

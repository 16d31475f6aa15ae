import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../kit/kube/resource.ts';
import { CANCEL_ANNOTATION, REVISION_LABEL } from './contract.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

const expectNothingLost = (cluster: SimulatedCluster) => {
  expect(cluster.lost).toEqual([]);
  expect(cluster.violations).toEqual([]);
  expect(cluster.api.forNothing).toEqual([]);
};

test('a pool is made, and is Ready when all of its agents are', async () => {
  const cluster = await SimulatedCluster.withPool();
  expect(cluster.pool.status).toMatchObject({
    phase: 'Ready',
    replicas: 3,
    readyReplicas: 3,
    countByState: { Ready: 3 },
    selector: 'pv-pool=data',
    capacityBytes: 30_000,
    usedPercentage: 0,
  });
  expect(cluster.says('Ready')).toBe('True AllAgentsServe: all agents serve');
  expectNothingLost(cluster);
});

test('a pool at rest costs no writes', async () => {
  const cluster = await SimulatedCluster.withPool();
  await cluster.pass(10);
  const before = cluster.calls.length;
  await cluster.pass(1200);
  expect(cluster.calls.slice(before)).toEqual([]);
});

describe('a pool is looked at', () => {
  /** Seconds between one look at the first agent and the next, from now on. */
  function looksAt({ agents, clock }: SimulatedCluster): { readonly apart: () => readonly number[] } {
    const at: number[] = [];
    const status = agents.status.bind(agents);
    agents.status = (to, token) => {
      if (to.name === 'data-sts-0') at.push(clock.monotonic());
      return status(to, token);
    };
    return { apart: () => at.slice(1).map((each, index) => Math.round((each - (at[index] ?? 0)) / 1000)) };
  }

  test('every minute when it is ready', async () => {
    const cluster = await SimulatedCluster.withPool();
    await cluster.pass(10);
    const looks = looksAt(cluster);
    await cluster.pass(300);
    expect(looks.apart()).toEqual([60, 60, 60, 60]);
  });

  test('every three seconds when it is not', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.temper(1, 'silent');
    await cluster.pass(65);
    const looks = looksAt(cluster);
    await cluster.pass(14);
    expect(looks.apart()).toEqual([3, 3, 3, 3]);
  });

  const relabelled = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [REVISION_LABEL]: 'another' } },
  });

  test.each<[string, string, (cluster: SimulatedCluster) => void]>([
    ['its StatefulSet', 'changes', ({ api }) => api.change('statefulsets', 'default/data-sts', relabelled)],
    ['a pod', 'changes', ({ api }) => api.change('pods', 'default/data-sts-2', relabelled)],
    ['a claim', 'changes', ({ api }) => api.change('persistentvolumeclaims', 'default/vol-data-sts-2', relabelled)],
    ['its Service', 'is gone', ({ api }) => api.remove('services', 'default/data-srv')],
    ['its budget', 'is gone', ({ api }) => api.remove('poddisruptionbudgets', 'default/data-pdb')],
  ])('at once when %s %s', async (_, __, happens) => {
    const cluster = await SimulatedCluster.withPool();
    await cluster.pass(10);
    const looks = looksAt(cluster);
    await cluster.pass(61);
    expect(looks.apart()).toEqual([]);
    happens(cluster);
    await cluster.pass(1);
    expect(looks.apart().length).toBeGreaterThan(0);
  });
});

test('used percent is that of the whole pool', async () => {
  const cluster = await SimulatedCluster.withPool();
  cluster.write(30, 300);
  await cluster.pass(61);
  expect(cluster.pool.status).toMatchObject({ usedPercentage: 30, usedBytes: 9000 });
});

describe('scaling', () => {
  test('up and down again loses nothing', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(30);
    cluster.respec({ numPVs: 6 });
    expect(await cluster.untilReadyWith(6)).toBe(true);
    cluster.write(60);
    cluster.respec({ numPVs: 2 });
    expect(await cluster.untilReadyWith(2)).toBe(true);
    expect(cluster.pool.status?.operation).toBeUndefined();
    expectNothingLost(cluster);
  });

  test('down drains the highest ordinals, all at once, and only then lowers the replicas, once', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 4 });
    cluster.write(40);
    const before = cluster.calls.length;
    cluster.respec({ numPVs: 2 });
    expect(await cluster.untilReadyWith(2)).toBe(true);
    const calls = cluster.calls.slice(before).filter((call) => !call.includes('/status'));
    expect(calls).toEqual([
      'decommission data-sts-2',
      'decommission data-sts-3',
      expect.stringMatching(/^PATCH .*\/statefulsets\/data-sts\?/),
    ]);
    expectNothingLost(cluster);
  });

  test('down is written down before anybody is told', async () => {
    const cluster = await SimulatedCluster.withPool();
    const orders = cluster.calls.length;
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.pool.status?.operation !== undefined);
    const { operation } = cluster.pool.status ?? {};
    const pod = cluster.api.get('pods', 'default/data-sts-2');
    const claim = cluster.api.get('persistentvolumeclaims', 'default/vol-data-sts-2');
    expect(operation).toMatchObject({
      kind: 'ScaleDown',
      generation: 1,
      from: 3,
      to: 2,
      members: [{ name: 'data-sts-2', podUid: pod?.metadata.uid, claimUid: claim?.metadata.uid, countsBlobs: true }],
    });
    const since = cluster.calls.slice(orders);
    const order = since.findIndex((call) => call.startsWith('decommission'));
    expect(since.slice(0, order === -1 ? undefined : order).some((call) => call.includes('/status'))).toBe(true);
  });

  test('tells how far it is', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(90, 100);
    cluster.respec({ numPVs: 2 });
    const isUnderWay = () => /[1-9] of/.test(cluster.pool.status?.operation?.progress ?? '');
    expect(await cluster.until(isUnderWay)).toBe(true);
    expect(cluster.pool.status?.operation?.progress).toMatch(
      /^draining data-sts-2: [0-2]\.\d of 2\.9 KiB, 1 min left$/,
    );
    expect(cluster.says('Progressing')).toContain('True Draining: draining data-sts-2');
    expect(cluster.pool.status?.phase).toBe('ScalingDown');
  });

  test('up while a drain runs waits until that is done', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(60);
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
    cluster.respec({ numPVs: 5 });
    await cluster.pass(5);
    expect(cluster.set?.spec?.replicas).toBe(3);
    expect(await cluster.until(() => cluster.set?.spec?.replicas === 2)).toBe(true);
    expect(await cluster.untilReadyWith(5)).toBe(true);
    expectNothingLost(cluster);
  });

  test('further down while a drain runs is another one after it', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 4 });
    cluster.write(40);
    cluster.respec({ numPVs: 3 });
    await cluster.until(() => cluster.diskOf(3).state === 'Decommissioning');
    cluster.respec({ numPVs: 1 });
    expect(await cluster.untilReadyWith(1)).toBe(true);
    expect(cluster.pool.status?.lastGeneration).toBe(2);
    expectNothingLost(cluster);
  });

  test('a kept claim that comes back is taken into service with all that is on it', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.respec({ numPVs: 2 });
    expect(await cluster.untilReadyWith(2)).toBe(true);
    cluster.diskOf(2).blobs.set('left-by-somebody', 5);
    cluster.stored.set('left-by-somebody', 5);
    cluster.respec({ numPVs: 3 });
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expect(cluster.diskOf(2)).toMatchObject({ state: 'Ready', generation: 2 });
    expectNothingLost(cluster);
  });

  test('that somebody did to the StatefulSet itself, upward, is drained away again', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.asAPerson(() =>
      cluster.api.change('statefulsets', 'default/data-sts', (set) => ({
        ...set,
        spec: { ...cluster.set?.spec, replicas: 5 },
      })),
    );
    await cluster.pass(4);
    cluster.write(20);
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expectNothingLost(cluster);
  });
});

/** A scale down in which an agent that leaves does not come up again, as without its image. */
async function withOneThatDoesNotStart(ordinal: number): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.withPool();
  cluster.write(60);
  cluster.respec({ numPVs: ordinal });
  await cluster.until(() => cluster.diskOf(ordinal).state === 'Decommissioning');
  cluster.brokenImage = 'holdfast:1';
  cluster.losePod(ordinal);
  await cluster.pass(60);
  expect(cluster.set?.spec?.replicas).toBe(3);
  expect(cluster.says('Degraded')).toContain(`AgentDoesNotAnswer: the agent data-sts-${ordinal}`);
  return cluster;
}

test.each([1, 2])(
  'a scale down in which agent %i no longer starts ends when it is given another image',
  async (ordinal) => {
    const cluster = await withOneThatDoesNotStart(ordinal);
    cluster.respec({ image: 'holdfast:2' });
    expect(await cluster.untilReadyWith(ordinal)).toBe(true);
    expectNothingLost(cluster);
  },
);

describe('a scale down that is cancelled', () => {
  async function cancelled() {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(60);
    cluster.respec({ numPVs: 1 });
    await cluster.until(() => cluster.diskOf(1).state === 'Decommissioning');
    await cluster.pass(3);
    cluster.annotate({ [CANCEL_ANNOTATION]: '' });
    expect(await cluster.untilReadyWith(3)).toBe(true);
    return cluster;
  }

  test('lets the agents go on, and takes the annotation away', async () => {
    const cluster = await cancelled();
    await cluster.pass(5);
    expect(cluster.pool.metadata.annotations).toEqual({});
    expect([0, 1, 2].map((ordinal) => cluster.diskOf(ordinal).state)).toEqual(['Ready', 'Ready', 'Ready']);
    expect([1, 2].map((ordinal) => cluster.diskOf(ordinal).generation)).toEqual([2, 2]);
    expect(cluster.set?.spec?.replicas).toBe(3);
    expectNothingLost(cluster);
  });

  test('is not tried again until the spec changes, and says so', async () => {
    const cluster = await cancelled();
    await cluster.pass(300);
    expect(cluster.set?.spec?.replicas).toBe(3);
    expect(cluster.says('Ready')).toContain('True ScaleDownIsCancelled');
    cluster.respec({ numPVs: 2 });
    expect(await cluster.untilReadyWith(2)).toBe(true);
    expectNothingLost(cluster);
  });

  test('can be scaled up at once', async () => {
    const cluster = await cancelled();
    cluster.respec({ numPVs: 4 });
    expect(await cluster.untilReadyWith(4)).toBe(true);
    expectNothingLost(cluster);
  });

  test('waits for an agent that does not answer', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(60);
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
    cluster.temper(2, 'silent');
    cluster.annotate({ [CANCEL_ANNOTATION]: '' });
    await cluster.pass(120);
    expect(cluster.pool.status?.operation).toMatchObject({ cancelling: true });
    expect(cluster.says('Degraded')).toContain('True AgentDoesNotAnswer: the agent data-sts-2');
    cluster.temper(2, 'honest');
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expectNothingLost(cluster);
  });

  test('does not wait for one that no longer starts when another image is what it needs', async () => {
    const cluster = await withOneThatDoesNotStart(2);
    cluster.annotate({ [CANCEL_ANNOTATION]: '' });
    await cluster.until(() => cluster.pool.status?.operation?.cancelling === true);
    cluster.respec({ image: 'holdfast:2' });
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expectNothingLost(cluster);
  });

  test('when there is none only loses its annotation', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.annotate({ [CANCEL_ANNOTATION]: '' });
    expect(await cluster.until(() => cluster.pool.metadata.annotations?.[CANCEL_ANNOTATION] === undefined)).toBe(true);
    cluster.respec({ numPVs: 2 });
    expect(await cluster.untilReadyWith(2)).toBe(true);
  });
});

describe('claims after a scale down', () => {
  test('are kept by default', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.respec({ numPVs: 1 });
    expect(await cluster.untilReadyWith(1)).toBe(true);
    await cluster.pass(30);
    expect(cluster.claims).toHaveLength(3);
  });

  test('go when the spec says so, after their pods', async () => {
    const cluster = await SimulatedCluster.withPool({ claims: { whenScaled: 'Delete' } });
    cluster.write(60);
    let podsWhenDeleted: readonly string[] = [];
    cluster.api.onChange(({ collection, after }) => {
      if (collection === 'persistentvolumeclaims' && !after)
        podsWhenDeleted = cluster.pods.map(({ metadata }) => metadata.name ?? '');
    });
    cluster.respec({ numPVs: 1 });
    expect(await cluster.untilReadyWith(1)).toBe(true);
    expect(cluster.claims.map(({ metadata }) => metadata.name)).toEqual(['vol-data-sts-0']);
    expect(podsWhenDeleted).toEqual(['data-sts-0']);
    expectNothingLost(cluster);
  });

  test.each([
    [
      'during a drain',
      (cluster: SimulatedCluster) => cluster.until(() => cluster.diskOf(2).state === 'Decommissioning'),
    ],
    ['before it began', async () => {}],
  ])('go only when their agents are empty, also if somebody lowered the replicas %s', async (_, moment) => {
    const cluster = await SimulatedCluster.withPool({ claims: { whenScaled: 'Delete' } });
    cluster.write(60);
    cluster.respec({ numPVs: 2 });
    await moment(cluster);
    cluster.asAPerson(() =>
      cluster.api.change('statefulsets', 'default/data-sts', (set) => ({
        ...set,
        spec: { ...cluster.set?.spec, replicas: 2 },
      })),
    );
    expect(await cluster.until(() => cluster.claims.length === 2)).toBe(true);
    expect(await cluster.untilReadyWith(2)).toBe(true);
    expectNothingLost(cluster);
  });

  test('that were there before the pool are labelled, and go with it as the others do', async () => {
    const cluster = await SimulatedCluster.withPool({ claims: { whenDeleted: 'Delete' } }, (world) => {
      world.api.put('persistentvolumeclaims', {
        metadata: { namespace: 'default', name: 'vol-data-sts-1' },
        spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
        status: { phase: 'Bound', capacity: { storage: '1Gi' } },
      } as KubeObject);
    });
    const isOurs = () =>
      cluster.claims.every(
        ({ metadata }) => metadata.labels?.['pv-pool'] === 'data' && metadata.ownerReferences?.length === 1,
      );
    expect(await cluster.until(isOurs)).toBe(true);
    expect(cluster.claims).toHaveLength(3);
  });

  test('belong to the pool while the spec says that they go with it', async () => {
    const cluster = await SimulatedCluster.withPool({ claims: { whenDeleted: 'Delete' } });
    const owners = () => cluster.claims.map(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? []);
    const { uid } = cluster.pool.metadata;
    expect(await cluster.until(() => owners().every((each) => each.length === 1))).toBe(true);
    expect(owners()).toEqual([[uid], [uid], [uid]]);
    cluster.respec({ claims: { whenDeleted: 'Retain' } });
    expect(await cluster.until(() => owners().every((each) => each.length === 0))).toBe(true);
  });
});

describe('the agents of the original', () => {
  test('are let go when they say that they are Decommissioned', async () => {
    const cluster = await SimulatedCluster.withPool({}, (world) => {
      world.isOriginal = true;
    });
    cluster.respec({ numPVs: 1 });
    expect(await cluster.untilReadyWith(1)).toBe(true);
    expect(cluster.violations).toEqual([]);
  });

  test('cannot be called back: the cancellation ends, and a new start of their pods brings them back', async () => {
    const cluster = await SimulatedCluster.withPool({}, (world) => {
      world.isOriginal = true;
    });
    cluster.temper(2, 'lazy');
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
    cluster.annotate({ [CANCEL_ANNOTATION]: '' });
    expect(await cluster.until(() => cluster.pool.status?.operation === undefined)).toBe(true);
    await cluster.pass(30);
    expect(cluster.says('Degraded')).toContain('True AgentCannotGoOn: the agent data-sts-2');
    expect(cluster.calls.filter((call) => call.startsWith('recommission'))).toEqual([]);
    cluster.losePod(2);
    expect(await cluster.untilReadyWith(3)).toBe(true);
    cluster.respec({ numPVs: 4 });
    expect(await cluster.untilReadyWith(4)).toBe(true);
  });

  test('that were Decommissioned before anybody asked this pod do not count', async () => {
    const cluster = await SimulatedCluster.withPool({}, (world) => {
      world.isOriginal = true;
    });
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.pool.status?.operation !== undefined);
    cluster.diskOf(2).state = 'Decommissioned';
    const before = cluster.calls.length;
    expect(await cluster.untilReadyWith(2)).toBe(true);
    expect(cluster.calls.slice(before).concat(cluster.calls.slice(0, before))).toContain('decommission data-sts-2');
  });
});

import { describe, expect, test } from 'vitest';
import type { StatefulSet } from '../api/stateful-sets.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { POOL_LABEL } from './contract.ts';
import type { Temper } from './simulated-agents.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

/** Longer than anything of its own accord takes. */
const LONG = 300;

async function drainingFrom3To2() {
  const cluster = await SimulatedCluster.withPool();
  cluster.write(60);
  cluster.respec({ numPVs: 2 });
  await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
  return cluster;
}

async function expectNotLetGo(cluster: SimulatedCluster, says: string) {
  await cluster.pass(LONG);
  expect(cluster.set?.spec?.replicas).toBe(3);
  expect(cluster.says('Degraded')).toContain(says);
  expect(cluster.violations).toEqual([]);
}

async function expectItGoesOn(cluster: SimulatedCluster, pods = 2) {
  expect(await cluster.untilReadyWith(pods)).toBe(true);
  expect(cluster.lost).toEqual([]);
  expect(cluster.violations).toEqual([]);
}

describe('an agent that leaves and', () => {
  test.each<[Temper, string]>([
    ['silent', 'True AgentDoesNotAnswer: the agent data-sts-2 cannot be asked: no answer within 2 s'],
    ['garbled', 'True AgentDoesNotAnswer: the agent data-sts-2 cannot be asked: its answer is not JSON'],
    [
      'liar',
      'True AgentContradictsItself: the agent data-sts-2 says that it is Decommissioned, and its listing has blobs',
    ],
    ['forgetful', 'True AgentContradictsItself: the agent data-sts-2 no longer says how many blobs it holds'],
  ])('is %s is not let go, and is named', async (temper, says) => {
    const cluster = await drainingFrom3To2();
    cluster.temper(2, temper);
    cluster.diskOf(2).peers = [];
    await expectNotLetGo(cluster, says);
    cluster.temper(2, 'honest');
    cluster.losePod(2);
    await expectItGoesOn(cluster);
  });

  test('does nothing is not let go', async () => {
    const cluster = await drainingFrom3To2();
    cluster.temper(2, 'lazy');
    await cluster.pass(LONG);
    expect(cluster.set?.spec?.replicas).toBe(3);
    cluster.temper(2, 'honest');
    await expectItGoesOn(cluster);
  });

  test('is replaced by another pod in between goes on where it was', async () => {
    const cluster = await drainingFrom3To2();
    const { podUid } = cluster.pool.status?.operation?.members[0] ?? {};
    cluster.losePod(2);
    await cluster.until(() => cluster.pool.status?.operation?.members[0]?.podUid !== podUid);
    expect(cluster.pool.status?.operation?.generation).toBe(1);
    await expectItGoesOn(cluster);
  });

  test('has lost its claim in between is drained of what the new one has', async () => {
    const cluster = await drainingFrom3To2();
    cluster.asAPerson(() => cluster.loseClaim(2));
    await cluster.until(() => cluster.pods.length === 3);
    await cluster.pass(2);
    cluster.write(9);
    await expectItGoesOn(cluster);
  });

  test('was told something newer by somebody else is told anew', async () => {
    const cluster = await drainingFrom3To2();
    Object.assign(cluster.diskOf(2), { generation: 7, state: 'Ready' });
    await expectItGoesOn(cluster);
    expect(cluster.pool.status?.lastGeneration).toBe(8);
  });

  test('was Decommissioned in an earlier life is drained once more', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.respec({ numPVs: 2 });
    await cluster.untilReadyWith(2);
    cluster.respec({ numPVs: 3 });
    await cluster.untilReadyWith(3);
    cluster.write(30);
    Object.assign(cluster.diskOf(2), { state: 'Decommissioned', generation: 1 });
    cluster.respec({ numPVs: 2 });
    await expectItGoesOn(cluster);
  });
});

describe('an agent that stays and', () => {
  test('moves to another address is found there by those that drain', async () => {
    const cluster = await drainingFrom3To2();
    cluster.losePod(0);
    cluster.losePod(1);
    await expectItGoesOn(cluster);
  });

  test('does not come back leaves the others with nobody to give their blobs to', async () => {
    const cluster = await drainingFrom3To2();
    cluster.temper(0, 'silent');
    cluster.temper(1, 'silent');
    await expectNotLetGo(cluster, 'NoPeerIsReady');
    cluster.temper(0, 'honest');
    cluster.temper(1, 'honest');
    await expectItGoesOn(cluster);
  });
});

describe('a pod that is not ready', () => {
  test('blocks scaling up, and is named', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.temper(1, 'silent');
    await cluster.pass(61);
    cluster.respec({ numPVs: 5 });
    await cluster.pass(LONG);
    expect(cluster.set?.spec?.replicas).toBe(3);
    expect(cluster.says('Ready')).toContain('the agent data-sts-1 cannot be asked');
    cluster.temper(1, 'honest');
    await expectItGoesOn(cluster, 5);
  });

  test('blocks scaling down before anybody is told to leave', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(30);
    cluster.temper(0, 'silent');
    await cluster.pass(61);
    cluster.respec({ numPVs: 1 });
    await cluster.pass(LONG);
    expect(cluster.pool.status?.operation).toBeUndefined();
    expect(cluster.calls.some((call) => call.startsWith('decommission'))).toBe(false);
    cluster.temper(0, 'honest');
    await expectItGoesOn(cluster, 1);
  });
});

describe('a scale down is refused before it begins', () => {
  test('when the blobs would not fit into what stays', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(24, 1_000);
    cluster.respec({ numPVs: 1 });
    await cluster.pass(LONG);
    expect(cluster.says('Degraded')).toContain(
      'True DoesNotFit: 16000 bytes would have to move, and those that stay have 2000 left',
    );
    expect(cluster.pool.status?.operation).toBeUndefined();
    expect(cluster.violations).toEqual([]);
  });

  test('when nobody would be left to take them', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(3);
    cluster.respec({ numPVs: 0 });
    await cluster.pass(LONG);
    expect(cluster.says('Degraded')).toContain('True NowhereToGo');
    expect(cluster.set?.spec?.replicas).toBe(3);
  });

  test('but not when there are none: then the pool may be empty', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.respec({ numPVs: 0 });
    await expectItGoesOn(cluster, 0);
    cluster.respec({ numPVs: 2 });
    await expectItGoesOn(cluster, 2);
  });
});

describe('an object of somebody else', () => {
  test.each([
    ['services', 'data-srv', 'Service data-srv'],
    ['statefulsets', 'data-sts', 'StatefulSet data-sts'],
    ['secrets', 'data-token', 'Secret data-token'],
    ['poddisruptionbudgets', 'data-pdb', 'PodDisruptionBudget data-pdb'],
  ])('in %s is left alone, and named', async (collection, name, named) => {
    const cluster = new SimulatedCluster();
    cluster.api.put(collection, { metadata: { namespace: 'default', name, labels: { 'pv-pool': 'data' } } });
    const before = cluster.api.get(collection, `default/${name}`);
    cluster.declare();
    await cluster.pass(60);
    expect(cluster.api.get(collection, `default/${name}`)?.metadata.uid).toBe(before?.metadata.uid);
    expect(cluster.calls.filter((call) => !call.includes('/status'))).toEqual([]);
    expect(cluster.says('Degraded')).toContain(`True ObjectIsForeign: ${named} is there`);
    expect(cluster.pool.status?.phase).toBe('Unknown');
  });
});

describe('a StatefulSet that somebody deletes', () => {
  test('comes back as large as it was, whatever the pool should have by now', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 4 });
    cluster.write(40);
    cluster.process?.kill();
    cluster.api.remove('statefulsets', 'default/data-sts');
    for (const ordinal of [0, 1, 2, 3]) cluster.losePod(ordinal);
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.set !== undefined);
    expect(cluster.set?.spec?.replicas).toBe(4);
    await expectItGoesOn(cluster);
  });

  test('in the middle of a drain comes back with those that drain', async () => {
    const cluster = await drainingFrom3To2();
    cluster.api.remove('statefulsets', 'default/data-sts');
    for (const ordinal of [0, 1, 2]) cluster.losePod(ordinal);
    await expectItGoesOn(cluster);
  });
});

test('agents that somebody took away while another was down come back, whatever the pool should have by then', async () => {
  const cluster = await SimulatedCluster.withPool({ numPVs: 4 });
  cluster.write(40);
  cluster.temper(0, 'silent');
  cluster.asAPerson(() =>
    cluster.api.change<StatefulSet>('statefulsets', 'default/data-sts', (set) => ({
      ...set,
      spec: { ...set.spec, replicas: 2 },
    })),
  );
  await cluster.pass(30);
  cluster.respec({ numPVs: 2 });
  await cluster.pass(30);
  cluster.temper(0, 'honest');
  await expectItGoesOn(cluster);
});

test('a failed write is told in a condition', async () => {
  const cluster = new SimulatedCluster();
  cluster.refusals.set('services', 'exceeded quota: objects');
  cluster.declare();
  await cluster.pass(30);
  expect(cluster.says('Degraded')).toContain('True WriteFailed');
  expect(cluster.says('Degraded')).toContain('exceeded quota: objects');
  cluster.refusals.clear();
  expect(await cluster.until(() => cluster.isReady())).toBe(true);
});

describe('what is no longer so', () => {
  test('is seen by the second look: an agent that got a blob after the first is not let go', async () => {
    const cluster = await drainingFrom3To2();
    const { agents } = cluster;
    const isEmpty = agents.isEmpty.bind(agents);
    let looks = 0;
    agents.isEmpty = (to) => {
      const answer = isEmpty(to);
      const isLast = cluster.pool.status?.operation?.drained === true && ++looks === 1;
      if (isLast) {
        Object.assign(cluster.diskOf(2), { state: 'Ready' });
        cluster.diskOf(2).blobs.set('late', 1);
        cluster.stored.set('late', 1);
      }
      return answer;
    };
    await expectItGoesOn(cluster);
    expect(looks).toBeGreaterThan(1);
  });

  test('is seen before a claim is deleted: it stays if a person has said so meanwhile', async () => {
    const cluster = await SimulatedCluster.withPool({ claims: { whenScaled: 'Delete' } });
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.set?.spec?.replicas === 2);
    const { lagMs } = cluster;
    cluster.lagMs = () => undefined;
    cluster.respec({ claims: { whenScaled: 'Retain' } });
    cluster.lagMs = lagMs;
    await cluster.pass(60);
    expect(cluster.pods).toHaveLength(2);
    expect(cluster.claims).toHaveLength(3);
  });

  test('leads to no order: an operator that has not heard that it is over tells nobody to leave', async () => {
    const cluster = await SimulatedCluster.withPool({}, (world) => {
      world.isOriginal = true;
    });
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
    cluster.lagMs = () => undefined;
    cluster.api.change<typeof cluster.pool>('pvpools', 'default/data', ({ status, ...pool }) => {
      const { operation: _, ...rest } = status ?? {};
      return { ...pool, status: rest };
    });
    cluster.diskOf(2).state = 'Ready';
    const before = cluster.calls.length;
    await cluster.pass(60);
    expect(cluster.calls.slice(before).filter((call) => call.startsWith('decommission'))).toEqual([]);
    expect(cluster.diskOf(2).state).toBe('Ready');
  });
});

describe('the token', () => {
  const tokenOf = (cluster: SimulatedCluster) => {
    const { data } = cluster.api.get<KubeObject & { data?: { token?: string } }>('secrets', 'default/data-token') ?? {};
    return Buffer.from(data?.token ?? '', 'base64').toString();
  };

  test("is told to the pool's own pods, and to none that only bears such a name", async () => {
    const cluster = await SimulatedCluster.withPool();
    const status = { phase: 'Running', podIP: '10.6.6.6', conditions: [{ type: 'Ready', status: 'True' }] };
    const metadata = { namespace: 'default', name: 'data-sts-3', labels: { [POOL_LABEL]: 'data' } };
    cluster.api.put('pods', { metadata, status } as KubeObject);
    await cluster.pass(120);
    const told = [0, 1, 2].map((ordinal) => `data-sts-${ordinal} ${tokenOf(cluster)}`);
    expect([...cluster.agents.asked].toSorted()).toEqual(told);
  });

  test('is not what a Secret of somebody else holds', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.agents.asked.clear();
    cluster.api.remove('secrets', 'default/data-token');
    const data = { token: Buffer.from('of somebody else').toString('base64') };
    cluster.api.put('secrets', { metadata: { namespace: 'default', name: 'data-token' }, data } as KubeObject);
    await cluster.pass(120);
    expect([...cluster.agents.asked].join()).not.toContain('of somebody else');
    expect(cluster.says('Degraded')).toContain('ObjectIsForeign: Secret data-token');
  });
});

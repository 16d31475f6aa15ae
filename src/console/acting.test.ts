/** A console under exactly the rights that it declares, and a drill in a cluster with a binder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { NAMESPACES } from '../api/namespaces.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { aNodeReport } from '../devices/builders.ts';
import { devicesReports } from '../devices/node-report.ts';
import { systemClock } from '../kit/clock/clock.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import type { Transport } from '../kit/kube/transport.ts';
import { runConnected } from '../kit/manager/program.ts';
import { silentLog } from '../kit/observe/log.ts';
import { Metrics } from '../kit/observe/metrics.ts';
import type { Cluster } from '../sandbox/cluster.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../sandbox/kinds/resources.ts';
import { accountOf, grant } from '../sandbox/rights.ts';
import { seeded } from '../sandbox/seeded.ts';
import type { User } from '../sandbox/server/target.ts';
import { World } from '../sandbox/world/world.ts';
import { DRILL_LABEL, PERSISTENT_VOLUME_SYNCS, SYNC_ENABLED, SYNC_LABEL, type SyncSpec } from '../sync/contract.ts';
import { sync } from '../sync/controller.ts';
import { NO_KEYS } from '../sync/export/keys.ts';
import { openStore } from '../sync/store/open.ts';
import { holdDrill } from './drilling.ts';
import type { Action, RecoveryPlan } from './model.ts';
import { newCluster, SimulatedConsole } from './simulated-console.ts';
import { consoleSpec } from './spec.ts';

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 50 });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-console-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a console sees everything with exactly the rights that it declares, and may ask who its callers are', async () => {
  const cluster = newCluster();
  grant(cluster.objects, consoleSpec);
  cluster.objects.create(CONFIG_MAPS, devicesReports.mapOf(aNodeReport({ node: 'node-1' }), 'default'));
  cluster.objects.create(NODES, { metadata: { name: 'node-1' } });
  const user = accountOf('console');
  await using console = await SimulatedConsole.open({ user, withTokens: true, namespace: 'default' }, cluster);
  await eventually(() => {
    const { volumes, nodes, pools, syncs } = console.console.parts;
    expect([volumes, nodes, pools, syncs].map(({ known }) => known)).toEqual([true, true, true, true]);
    const [node] = nodes.known ? [...nodes.value.values()] : [];
    expect(node?.row.heard.devices).toBeDefined();
  });
  const token = cluster.access.tokens.give({ name: 'ada', groups: ['system:masters', 'system:authenticated'] });
  const { status, json } = await console.ask('/api/hello', { headers: { authorization: `Bearer ${token}` } });
  expect([status, json()]).toMatchObject([200, { user: 'ada' }]);
});

interface Site extends AsyncDisposable {
  readonly cluster: ReturnType<typeof newCluster>;
}

/** A cluster with a binder, in which sync runs. */
function aSite(mode: SyncSpec['mode']): Site {
  const clock = systemClock;
  const seed = mode === 'Protected' ? 3 : 4;
  const random = seeded(seed);
  const cluster = newCluster({}, seed);
  const world = new World({ cluster, clock, random });
  const transport = cluster.transport();
  const stop = new AbortController();
  const running = runConnected(
    {
      name: 'sync',
      version: 'test',
      instance: mode,
      access: {
        server: new URL('https://x.invalid'),
        tls: () => ({}),
        authorize: () => ({}),
        namespace: 'default',
        from: '',
      },
      clock,
      random,
      log: silentLog,
      setUp: (parts) =>
        sync(parts, {
          openStore: (provider) => openStore(provider, { OBJECT_STORAGE_PATH: directory }),
          keys: () => NO_KEYS,
        }),
    },
    {
      connection: { client: new KubeClient({ transport, clock, random }), close: () => transport.close() },
      metrics: new Metrics(),
    },
    stop.signal,
  );
  running.catch(() => {});
  const spec: SyncSpec = { protectedCluster: 'site', mode, cloudProvider: 'file', retention: 5, pollingInterval: 1 };
  cluster.objects.create(PERSISTENT_VOLUME_SYNCS, { metadata: { name: 'site' }, spec });
  return {
    cluster,
    /** What it still writes then is written before its store is removed. */
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.allSettled([running]);
      world.stop();
    },
  };
}

/** A cluster into which a volume and its claim were restored, and a console that looks at it. */
async function aRecovery(withTokens = false) {
  await using stack = new AsyncDisposableStack();
  const there = stack.use(aSite('Protected'));
  const labels = { [SYNC_LABEL]: SYNC_ENABLED };
  const common = { accessModes: ['ReadWriteMany'], storageClassName: '' };
  there.cluster.objects.create(PERSISTENT_VOLUMES, {
    metadata: { name: 'data', labels },
    spec: {
      ...common,
      capacity: { storage: '5Gi' },
      nfs: { server: 'nfs', path: '/data' },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  });
  there.cluster.objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'data', namespace: 'default', labels },
    spec: { ...common, volumeName: 'data', resources: { requests: { storage: '5Gi' } } },
  });
  const { cluster } = stack.use(aSite('Recovery'));
  const store = {
    open: (provider: string) => openStore(provider, { OBJECT_STORAGE_PATH: directory }),
    keys: () => NO_KEYS,
  };
  const console = stack.use(await SimulatedConsole.open({ store, withTokens }, cluster));
  const bound = () => cluster.objects.get(PERSISTENT_VOLUME_CLAIMS, 'default/data')?.status?.phase;
  await eventually(() => expect(bound()).toBe('Bound'));
  await eventually(() => expect(offered(console)?.consequence).toContain('about 1 volumes and 1 claims'));
  const owned = stack.move();
  return { console, cluster, objects: cluster.objects, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function offered({ console }: SimulatedConsole): Action | undefined {
  const { syncs } = console.parts;
  return syncs.known ? syncs.value.get('site')?.row.drill : undefined;
}

function startDrill(console: SimulatedConsole, headers: Record<string, string> = {}) {
  return console.ask('/api/clusters/here/actions', {
    method: 'POST',
    headers: { 'x-holdfast': '1', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...offered(console), confirmed: 'drill' }),
  });
}

test('a person sees what a recovery would do, and holds a drill, of which nothing is left', {
  timeout: 60_000,
}, async () => {
  await using world = await aRecovery();
  const { console, objects } = world;
  const plan = (await console.ask('/api/clusters/here/syncs/site/plan')).json() as RecoveryPlan;
  expect(plan).toMatchObject({ counts: { create: 0, same: 2 }, export: { key: expect.any(String) } });
  const { json } = await startDrill(console);
  expect(json()).toMatchObject({ succeeded: true, sentence: expect.stringMatching(/1 volumes and 1 claims .* took/) });
  expect(objects.list(PERSISTENT_VOLUMES).filter(({ metadata }) => !metadata.deletionTimestamp)).toHaveLength(1);
  await eventually(() => {
    const { syncs } = console.console.parts;
    const [shown] = syncs.known ? [...syncs.value.values()] : [];
    expect(shown?.row.timeline).toContainEqual(expect.objectContaining({ kind: 'drill', succeeded: true }));
  });
  expect(console.log.lines.filter(({ fields }) => fields.audit)).toMatchObject([
    { level: 'info', fields: { user: 'tester', action: 'start-drill', to: { sync: 'site' }, succeeded: true } },
  ]);
  const story = (await console.ask('/api/clusters/here/volumes/data')).json();
  const exported = expect.arrayContaining([expect.objectContaining({ sync: 'site' })]);
  expect(story).toMatchObject({ row: { sync: 'restored', claim: 'default/data' }, exports: exported });
});

const COPIED = ['persistentvolumes', 'persistentvolumeclaims', 'namespaces'];

/** Somebody who may read everything, and do this besides. */
function somebody({ objects }: Cluster, name: string, verbs: readonly string[]): User {
  const rules = [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: COPIED, verbs },
    { apiGroups: ['storage.cndev.nl'], resources: ['persistentvolumesyncs'], verbs: ['patch'] },
  ];
  objects.create(CLUSTER_ROLES, { metadata: { name }, rules } as KubeObject);
  const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  objects.create(CLUSTER_ROLE_BINDINGS, { metadata: { name }, roleRef, subjects } as KubeObject);
  return { name, groups: ['system:authenticated'] };
}

test('who may not do all of a drill does none of it', { timeout: 60_000 }, async () => {
  await using world = await aRecovery(true);
  const { console, cluster } = world;
  const token = cluster.access.tokens.give(somebody(cluster, 'halfway', ['create']));
  const { json } = await startDrill(console, { authorization: `Bearer ${token}` });
  expect(json()).toEqual({
    succeeded: false,
    sentence:
      'Nothing was done: a drill needs rights that you do not have (delete namespaces, delete persistentvolumes, delete persistentvolumeclaims).',
  });
  expect(copiesIn(cluster)).toEqual([]);
});

const copiesIn = ({ objects }: Cluster) =>
  [NAMESPACES, PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS].flatMap((resource: Resource) =>
    objects.list(resource).filter(({ metadata }) => DRILL_LABEL in (metadata.labels ?? {})),
  );

test('of a drill that has begun nobody says that nothing was done', { timeout: 60_000 }, async () => {
  await using world = await aRecovery();
  const { console, cluster } = world;
  const inner = cluster.transport(somebody(cluster, 'deposed', ['create', 'delete']));
  // All rights are taken away after the first copies are made.
  const transport: Transport = {
    close: () => inner.close(),
    request: (request) => {
      if (request.method === 'POST' && request.path.includes('/persistentvolumeclaims'))
        cluster.objects.remove(CLUSTER_ROLE_BINDINGS, 'deposed');
      return inner.request(request);
    },
  };
  const client = new KubeClient({ transport, clock: systemClock, random: seeded(5) });
  const sync = console.console.views.syncs.get('site');
  if (!sync) throw new Error('there is no sync');
  const result = await holdDrill(console.console, client, sync, new AbortController().signal);
  const [copy] = copiesIn(cluster);
  expect(copy).toBeDefined();
  expect(result).toEqual({
    succeeded: false,
    sentence: expect.stringMatching(
      /^The drill had begun when it failed: .*Copies may be left, all of them with the label holdfast.dev\/drill=\w+: holdfast sync drill --clean removes them\.$/s,
    ),
  });
  expect(result.sentence).toContain(`${DRILL_LABEL}=${copy?.metadata.labels?.[DRILL_LABEL]}`);
});

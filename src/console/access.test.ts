/** Callers who bring their own tokens: what they see is what they may read, and what they do is done as them. */
import { describe, expect, test, vi } from 'vitest';
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { NAMESPACES } from '../api/namespaces.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { aNodeReport } from '../devices/builders.ts';
import { APPROVALS_ANNOTATION } from '../devices/contract.ts';
import { devicesReports, type ReadStanding } from '../devices/node-report.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { CANCEL_ANNOTATION, PV_POOLS } from '../pool/contract.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../sandbox/kinds/resources.ts';
import { PERSISTENT_VOLUME_SYNCS } from '../sync/contract.ts';
import type { Action, State } from './model.ts';
import { SimulatedConsole } from './simulated-console.ts';

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const read = (group: string, ...resources: string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs: ['get', 'list', 'watch'],
});

/** Somebody with these rights, in all namespaces or in one; gives their token. */
function somebody(
  { cluster, objects }: SimulatedConsole,
  name: string,
  rules: readonly Rule[],
  namespace?: string,
): string {
  const metadata = { name: `role-of-${name}`, ...(namespace && { namespace }) };
  const roles = namespace ? ROLES : CLUSTER_ROLES;
  objects.create(roles, { metadata, rules } as KubeObject);
  const roleRef = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: namespace ? 'Role' : 'ClusterRole',
    name: metadata.name,
  };
  const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
  objects.create(namespace ? ROLE_BINDINGS : CLUSTER_ROLE_BINDINGS, { metadata, roleRef, subjects } as KubeObject);
  return cluster.access.tokens.give({ name, groups: ['system:authenticated'] });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const aPool = (namespace: string) => ({
  metadata: { name: 'data', namespace },
  spec: { image: 'holdfast', numPVs: 2, pvSizeGB: 1 },
});

const REFUSED = { is: 'refused', fact: 'hasForeignData', why: 'holds ext4', remedy: '', canBeApproved: true } as const;
const report = aNodeReport({
  node: 'node-1',
  devices: [
    {
      volume: 'local-node-1-sdb',
      path: '/dev/sdb',
      state: REFUSED,
      device: 'wwid:naa.1',
      identity: { sizeBytes: 1024, wwid: 'naa.1' },
    },
  ],
});

async function aWorld(options: Parameters<typeof SimulatedConsole.open>[0] = {}): Promise<SimulatedConsole> {
  const console = await SimulatedConsole.open({ withTokens: true, ...options });
  const { objects } = console;
  for (const name of ['red', 'blue']) {
    objects.create(NAMESPACES, { metadata: { name } });
    objects.create(PV_POOLS, aPool(name));
  }
  objects.create(NODES, { metadata: { name: 'node-1' } });
  objects.create(CONFIG_MAPS, devicesReports.mapOf(report, 'kube-system'));
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name: 'a' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, nfs: { server: 'x', path: '/' } },
  });
  objects.create(PERSISTENT_VOLUME_SYNCS, {
    metadata: { name: 'site' },
    spec: { protectedCluster: 'site', mode: 'Protected', cloudProvider: 'file', retention: 1 },
  });
  await eventually(() => {
    const { volumes, nodes, pools, syncs } = console.console.parts;
    for (const part of [volumes, nodes, pools, syncs]) expect(part.known && part.value.size > 0).toBe(true);
    const [node] = nodes.known ? [...nodes.value.values()] : [];
    expect(node?.row.devices).toHaveLength(1);
  });
  return console;
}

async function stateFor(console: SimulatedConsole, token: string): Promise<State> {
  using following = await console.follow(undefined, bearer(token));
  await eventually(() => expect(following.events).not.toEqual([]));
  const message = following.events[0]?.message;
  if (message?.is !== 'state') throw new Error('no state came first');
  return message.state;
}

const keys = ({ volumes, nodes, pools, syncs }: State) =>
  [volumes, nodes, pools, syncs].map((rows) => Object.keys(rows));

describe('a console that wants tokens', () => {
  test('tells nobody without one anything but that', async () => {
    await using console = await aWorld();
    const stranger = { version: '', clusters: [], actions: [], wantsToken: true };
    expect((await console.ask('/api/hello')).json()).toEqual(stranger);
    expect((await console.ask('/api/hello', { headers: bearer('guessed') })).json()).toEqual(stranger);
    for (const path of ['live', 'volumes/a', 'syncs/site/plan']) {
      const { status, header } = await console.ask(`/api/clusters/here/${path}`);
      expect([status, header('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  test.each(['Bearer wrong', 'Basic YTpi', 'Bearer', 'Bearer a b', `Bearer ${'x'.repeat(15_000)}`])(
    'refuses %.20s',
    async (authorization) => {
      await using console = await aWorld();
      expect((await console.ask('/api/clusters/here/live', { headers: { authorization } })).status).toBe(401);
    },
  );

  test('shows all to somebody who may read all, and says who they are', async () => {
    await using console = await aWorld();
    const token = somebody(console, 'ada', [read('*', '*')]);
    expect(keys(await stateFor(console, token))).toEqual([['a'], ['node-1'], ['blue/data', 'red/data'], ['site']]);
    expect((await console.ask('/api/hello', { headers: bearer(token) })).json()).toMatchObject({ user: 'ada' });
  });

  test('shows what is in a namespace to those who may read there, and nothing of the others', async () => {
    await using console = await aWorld();
    const token = somebody(console, 'bob', [read('pvpool.noobaa.com', 'pvpools')], 'red');
    const state = await stateFor(console, token);
    expect(keys(state)).toEqual([[], [], ['red/data'], []]);
    expect(JSON.stringify(state)).not.toContain('blue');
    expect(state.overview.verdict).toMatchObject({
      health: 'unknown',
      sentence: expect.stringContaining('you may not list persistentvolumes'),
    });
    expect((await console.ask('/api/clusters/here/volumes/a', { headers: bearer(token) })).status).toBe(404);
    expect((await console.ask('/api/clusters/here/syncs/site/plan', { headers: bearer(token) })).status).toBe(404);
  });

  test('shows volumes to those who may list volumes, and disks only to those who may read the reports, too', async () => {
    await using console = await aWorld();
    const volumes = somebody(console, 'vol', [read('', 'persistentvolumes', 'nodes')]);
    expect(keys(await stateFor(console, volumes))).toEqual([['a'], [], [], []]);
    const disks = somebody(console, 'disk', [read('', 'persistentvolumes', 'nodes', 'configmaps')]);
    expect(keys(await stateFor(console, disks))).toEqual([['a'], ['node-1'], [], []]);
  });

  test('goes on only with those who have the same rights', async () => {
    await using console = await aWorld();
    const all = somebody(console, 'ada', [read('*', '*')]);
    using first = await console.follow(undefined, bearer(all));
    await eventually(() => expect(first.events).not.toEqual([]));
    const bob = somebody(console, 'bob', [read('pvpool.noobaa.com', 'pvpools')], 'red');
    using second = await console.follow(undefined, { ...bearer(bob), 'last-event-id': first.last?.id ?? '' });
    await eventually(() => expect(second.events[0]?.message.is).toBe('state'));
    expect(JSON.stringify(second.events)).not.toContain('blue');
  });

  test('tells those who may see one pool of no other, also when that changes', async () => {
    await using console = await aWorld();
    const token = somebody(console, 'bob', [read('pvpool.noobaa.com', 'pvpools')], 'red');
    using following = await console.follow(undefined, bearer(token));
    await eventually(() => expect(following.events).not.toEqual([]));
    for (const namespace of ['blue', 'red']) {
      const pool = console.objects.get(PV_POOLS, `${namespace}/data`);
      if (pool) console.objects.update(PV_POOLS, { ...pool, spec: { ...pool.spec, numPVs: 7 } });
    }
    await eventually(() =>
      expect(following.last?.message).toMatchObject({ change: { pools: { 'red/data': { wanted: 7 } } } }),
    );
    expect(JSON.stringify(following.events)).not.toContain('blue');
  });
});

describe('a stream of somebody whose rights are others now', () => {
  test('ends within half a minute, and what they may see then is sent when they come back', async () => {
    const clock = new VirtualClock();
    await using console = await aWorld({ clock });
    const token = somebody(console, 'bob', [read('pvpool.noobaa.com', 'pvpools')], 'red');
    using following = await console.follow(undefined, bearer(token));
    await eventually(() => expect(following.events).not.toEqual([]));
    await clock.advance(31_000);
    expect(following.hasEnded).toBe(false);
    console.objects.remove(ROLE_BINDINGS, 'red/role-of-bob');
    await clock.advance(31_000);
    await eventually(() => expect(following.hasEnded).toBe(true));
    using again = await console.follow(undefined, { ...bearer(token), 'last-event-id': following.last?.id ?? '' });
    await eventually(() => expect(again.events[0]?.message).toMatchObject({ is: 'state', state: { pools: {} } }));
  });

  test('is not asked about more often than that', async () => {
    const clock = new VirtualClock();
    await using console = await aWorld({ clock });
    const token = somebody(console, 'bob', [read('pvpool.noobaa.com', 'pvpools')], 'red');
    expect(keys(await stateFor(console, token))).toEqual([[], [], ['red/data'], []]);
    console.objects.remove(ROLE_BINDINGS, 'red/role-of-bob');
    expect(keys(await stateFor(console, token))).toEqual([[], [], ['red/data'], []]);
    await clock.advance(30_000);
    expect(keys(await stateFor(console, token))).toEqual([[], [], [], []]);
  });
});

const APPROVAL: Action['to'] = {
  node: 'node-1',
  device: 'wwid:naa.1',
  volume: 'local-node-1-sdb',
  fact: 'hasForeignData',
  identity: '{"sizeBytes":1024,"wwid":"naa.1"}',
};

function act(console: SimulatedConsole, action: object, headers: Record<string, string> = {}) {
  return console.ask('/api/clusters/here/actions', {
    method: 'POST',
    headers: { 'x-holdfast': '1', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(action),
  });
}

const approve = {
  name: 'approve-wipe',
  to: APPROVAL,
  label: 'Approve the wipe',
  consequence:
    'Everything on /dev/sdb of node-1 (1Ki, naa.1) will be lost: its agent wipes it, and makes the volume local-node-1-sdb of it. ' +
    'It was refused because it holds ext4.',
  confirmBy: 'local-node-1-sdb',
  confirmed: 'local-node-1-sdb',
};
const approvals = ({ objects }: SimulatedConsole) =>
  objects.get(NODES, 'node-1')?.metadata.annotations?.[APPROVALS_ANNOTATION];
const audited = ({ log }: SimulatedConsole) => log.lines.filter(({ fields }) => fields.audit === true);

describe('an action', () => {
  test('is refused where none are allowed', async () => {
    await using console = await aWorld({ withTokens: false, allowed: [] });
    expect((await console.ask('/api/hello')).json()).toMatchObject({ actions: [] });
    const { status, text } = await act(console, approve);
    expect([status, approvals(console)]).toEqual([403, undefined]);
    expect(text).toContain('--allow-actions');
  });

  test('approves the device that was shown, and the log tells who has done so', async () => {
    await using console = await aWorld({ withTokens: false });
    expect((await act(console, approve)).json()).toMatchObject({ succeeded: true });
    expect(JSON.parse(approvals(console) ?? '')).toMatchObject({
      'wwid:naa.1': [{ fact: 'hasForeignData', identity: { wwid: 'naa.1' } }],
    });
    expect(audited(console)).toEqual([
      {
        level: 'info',
        message: 'Approved: the agent of node-1 wipes /dev/sdb, and makes the volume local-node-1-sdb of it.',
        fields: { audit: true, user: 'tester', cluster: 'here', action: 'approve-wipe', to: APPROVAL, succeeded: true },
      },
    ]);
  });

  test.each<[string, object]>([
    ['another device at its place', { ...approve, to: { ...APPROVAL, device: 'wwid:naa.2' } }],
    ['another reason', { ...approve, to: { ...APPROVAL, fact: 'belongsToAnotherCluster' } }],
    ['another size', { ...approve, to: { ...APPROVAL, identity: '{"sizeBytes":1025,"wwid":"naa.1"}' } }],
    ['another consequence', { ...approve, consequence: 'Nothing will be lost.' }],
    ['nothing to be typed', { ...approve, confirmBy: undefined, confirmed: true }],
    ['something that is not offered', { ...approve, to: { node: 'node-1' } }],
    ['no word', { ...approve, confirmed: true }],
    ['another word', { ...approve, confirmed: 'yes' }],
  ])('with %s is not done, and the log tells that it was tried', async (_what, action) => {
    await using console = await aWorld({ withTokens: false });
    expect((await act(console, action)).json()).toMatchObject({
      succeeded: false,
      sentence: expect.stringMatching(/^Nothing was done/),
    });
    expect(approvals(console)).toBeUndefined();
    expect(audited(console)).toMatchObject([{ level: 'warn', fields: { user: 'tester', succeeded: false } }]);
  });

  test('is done with the rights of whoever does it, and not with those of the console', async () => {
    await using console = await aWorld();
    const reader = somebody(console, 'reader', [read('*', '*')]);
    const refused = await act(console, approve, bearer(reader));
    expect(refused.json()).toMatchObject({
      succeeded: false,
      sentence: expect.stringContaining('you may not do that'),
    });
    expect(approvals(console)).toBeUndefined();
    const writer = somebody(console, 'writer', [
      read('*', '*'),
      { apiGroups: [''], resources: ['nodes'], verbs: ['patch'] },
    ]);
    expect((await act(console, approve, bearer(writer))).json()).toMatchObject({ succeeded: true });
    expect(approvals(console)).toBeDefined();
    expect(audited(console).map(({ fields }) => [fields.user, fields.succeeded])).toEqual([
      ['reader', false],
      ['writer', true],
    ]);
  });

  test('is not done by who may not see what it is done to', async () => {
    await using console = await aWorld();
    const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'patch'] }];
    const blind = somebody(console, 'blind', rules);
    expect((await act(console, approve, bearer(blind))).json()).toMatchObject({ succeeded: false });
    expect(approvals(console)).toBeUndefined();
  });

  const drain = async ({ console: { client, views } }: SimulatedConsole, from: number, to: number) => {
    const operation = { kind: 'ScaleDown', generation: from, from, to, since: '2026-01-01T00:00:00Z', members: [] };
    const patch = { status: { operation } };
    await client.mergePatch(PV_POOLS, { namespace: 'red', name: 'data' }, patch, { subresource: 'status' });
    await eventually(() => expect(views.pools.get('red/data')?.status?.operation?.from).toBe(from));
  };
  const cancelIn = async ({ console }: SimulatedConsole, from: number) => {
    const found = () => {
      const { pools } = console.parts;
      return pools.known ? pools.value.get('red/data')?.row.cancel : undefined;
    };
    await eventually(() => expect(found()?.to.from).toBe(`${from}`));
    return { ...found(), confirmed: true };
  };
  const cancelled = ({ objects }: SimulatedConsole) =>
    objects.get(PV_POOLS, 'red/data')?.metadata.annotations?.[CANCEL_ANNOTATION];

  test('cancels the drain of a pool while there is one', async () => {
    await using console = await aWorld({ withTokens: false });
    await drain(console, 3, 2);
    expect((await act(console, await cancelIn(console, 3))).json()).toMatchObject({ succeeded: true });
    expect(cancelled(console)).toBe('true');
  });

  test('cancels no other drain than the one that was shown', async () => {
    await using console = await aWorld({ withTokens: false });
    await drain(console, 6, 5);
    const shown = await cancelIn(console, 6);
    await drain(console, 9, 2);
    // Whether or not the picture knows of the other one already.
    for (const wait of [() => undefined, () => cancelIn(console, 9)]) {
      await wait();
      expect((await act(console, shown)).json()).toMatchObject({
        succeeded: false,
        sentence: 'Nothing was done: what was shown is no longer so. Look again.',
      });
    }
    expect(cancelled(console)).toBeUndefined();
  });

  test.each([
    ['by another one with a name of its own', { sizeBytes: 1024, wwid: 'naa.2' }, 'wwid:naa.2'],
    ['by another one that is known by its path only', { sizeBytes: 4096, model: 'other' }, 'path:/dev/sdb'],
    ['by one of the same size and path', { sizeBytes: 1024, model: 'other' }, 'path:/dev/sdb'],
  ])('approves no disk that was put in place of the one that was shown: %s', async (_by, identity, device) => {
    await using console = await aWorld({ withTokens: false });
    const standing = { volume: 'local-node-1-sdb', path: '/dev/sdb', state: REFUSED };
    const tell = async (of: Partial<ReadStanding>) => {
      const map = devicesReports.mapOf(aNodeReport({ devices: [{ ...standing, ...of }] }), 'kube-system');
      const ref = { namespace: 'kube-system', name: map.metadata.name ?? '' };
      await console.console.client.mergePatch(CONFIG_MAPS, ref, { data: map.data });
      await eventually(() =>
        expect([...console.console.views.reports.values()]).toMatchObject([{ report: { devices: [of] } }]),
      );
    };
    const offered = () => {
      const { nodes } = console.console.parts;
      return nodes.known ? nodes.value.get('node-1')?.row.devices[0]?.approve : undefined;
    };
    const first = { device: 'path:/dev/sdb', identity: { sizeBytes: 1024 } };
    await tell(first);
    await eventually(() => expect(offered()?.to.device).toBe(first.device));
    const shown = { ...offered(), confirmed: 'local-node-1-sdb' };
    await tell({ device, identity });
    const refused = async () =>
      expect((await act(console, shown)).json()).toMatchObject({
        succeeded: false,
        sentence: 'Nothing was done: what was shown is no longer so. Look again.',
      });
    // Before the picture knows of it, and after.
    await refused();
    await eventually(() => expect(offered()?.to.identity).toBe(JSON.stringify(identity)));
    await refused();
    expect(approvals(console)).toBeUndefined();
  });
});

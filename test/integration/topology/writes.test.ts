/** How often the job writes, as the API server has it in its audit log, and what comes of it when a write goes wrong half-way. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../harness/audit.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import type { Fault } from '../../harness/faults.ts';
import { type Holdfast, kubeconfigFlag, startHoldfast } from '../../harness/holdfast.ts';
import type { KubeCall } from '../../harness/kube-call.ts';
import { createServiceAccount, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { MAY_LABEL, MAY_TELL } from './rights.ts';
import { VOLUMES, type Volume, WORLD, World, ZONE } from './world.ts';

const MANY = 300;

let plane: ControlPlane;
let account: ServiceAccount;
let kubeconfig: string;
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  account = await createServiceAccount(plane, { name: 'topology', clusterRules: [...MAY_LABEL, ...MAY_TELL] });
  kubeconfig = await kubeconfigFlag(plane.directory, account, plane);
});
afterAll(async () => {
  await account?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

const worldOf = (name: string) => new World({ name, admin: plane.admin });
const labelling = (world: World, ...flags: readonly string[]) =>
  startHoldfast('topology', kubeconfig, world.selector, ...flags);

/** Volumes, each with its claim and its pod, ready on one node in zone a. */
async function many(world: World): Promise<readonly string[]> {
  const node = await world.node({ zone: 'a' });
  const left = Array.from({ length: MANY }).values();
  const volumes: string[] = [];
  const worker = async () => {
    for (const _ of left) volumes.push((await world.used(node)).volume);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return volumes;
}

async function allAreLabelled(world: World): Promise<void> {
  const path = `${VOLUMES}?labelSelector=${WORLD}=${world.name}`;
  await eventually(async () => {
    const { items } = await plane.admin.list<Volume>(path);
    expect(items.filter(({ metadata }) => metadata.labels?.[ZONE] === 'a')).toHaveLength(MANY);
  });
}

/** What the job asked of the server, oldest first. What the test asks as the same account is not counted. */
async function requests(): Promise<readonly AuditEvent[]> {
  const log = await plane.auditLog();
  return log.filter((each) => each.user.username === account.username && each.userAgent?.startsWith('holdfast'));
}

/** The volumes of a world that patches were sent for, one name for each patch. */
async function patched(world: World, which = (_: AuditEvent) => true): Promise<readonly string[]> {
  const patches = (await requests()).filter((each) => {
    return each.verb === 'patch' && each.objectRef?.resource === 'persistentvolumes' && which(each);
  });
  return patches.map(({ objectRef }) => objectRef?.name ?? '').filter((name) => name.startsWith(`${world.name}-`));
}

const isCarriedOut = ({ responseStatus }: AuditEvent): boolean => responseStatus?.code === 200;

const sorted = (names: readonly string[]) => names.toSorted();

describe(`${MANY} volumes`, () => {
  test('cost one write each, and a resync of them costs no request at all', async () => {
    const world = worldOf('many');
    const volumes = await many(world);
    await using holdfast = await labelling(world, '--resync-period=1s');
    await allAreLabelled(world);
    await eventually(async () => expect(await written(holdfast)).toBe(MANY));
    const before = await requests();
    await passes(holdfast, 3);
    expect(asked(await requests())).toEqual(asked(before));
    expect(sorted(await patched(world))).toEqual(sorted(volumes));
    const kinds = new Set(asked(before).map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`));
    expect([...kinds]).toEqual(['patch persistentvolumes']);
  });

  test('are all labelled when the process is killed among them, and none of them is written to twice', async () => {
    const world = worldOf('killed');
    const volumes = await many(world);
    await using proxy = await startFaultProxy(plane);
    const half = { verb: 'patch', resource: 'persistentvolumes', nth: 51, times: MANY };
    const unanswered = proxy.inject({ ...half, where: isEven }, { fault: 'delay-reply', until: new Promise(() => {}) });
    const lost = proxy.inject({ ...half, where: (call) => !isEven(call) }, { fault: 'drop' });
    await using first = await startHoldfast('topology', await through(proxy), world.selector);
    await eventually(() => unanswered.hits + lost.hits === CONNECTIONS, { for: 'all connections to be stuck' });
    await eventually(async () => expect(await patched(world)).toHaveLength(100 + unanswered.hits));
    expect(Math.min(unanswered.hits, lost.hits)).toBeGreaterThan(0);
    first.send('SIGKILL');
    expect(await first.ended()).toBe('SIGKILL');
    await using second = await labelling(world, '--resync-period=1s');
    await allAreLabelled(world);
    await passes(second, 2);
    expect(sorted(await patched(world))).toEqual(sorted(volumes));
  });

  test('are all labelled when the API server is killed among them, and none of them is written to twice', async () => {
    const world = worldOf('interrupted');
    const volumes = await many(world);
    await using proxy = await startFaultProxy(plane);
    const { promise: isDown, resolve: goesDown } = Promise.withResolvers<void>();
    const later = { verb: 'patch', resource: 'persistentvolumes', nth: 101, times: CONNECTIONS };
    const held = proxy.inject(later, { fault: 'delay', until: isDown });
    await using holdfast = await startHoldfast('topology', await through(proxy), world.selector, '--resync-period=1s');
    await held.struck(CONNECTIONS);
    expect(await patched(world)).toHaveLength(100);
    await plane.apiServer.kill();
    goesDown();
    await eventually(() => proxy.log.some(({ verb, failure }) => verb === 'patch' && failure !== undefined));
    expect((await holdfast.page('/healthz')).status).toBe(200);
    await plane.apiServer.start();
    await allAreLabelled(world);
    await passes(holdfast, 2);
    // A server that has just begun does not know all rights yet, and may refuse: that is no write.
    expect(sorted(await patched(world, isCarriedOut))).toEqual(sorted(volumes));
    const { volume } = await world.used(await world.node({ zone: 'after' }));
    await world.hasLabels(volume, { [ZONE]: 'after' });
  });
});

test('a write that the watch has not brought back yet is not made a second time', async () => {
  const world = worldOf('unseen');
  const volume = await world.volume();
  const pod = await world.pod({ claims: [await world.claim(volume)], node: await world.node({ zone: 'a' }) });
  await using proxy = await startFaultProxy(plane);
  // The volume, and the bookmark after all that there is; what happens to the volume afterwards is never heard of.
  proxy.inject({ verb: 'watch', resource: 'persistentvolumes' }, { fault: 'half-open', afterEvents: 2 });
  await using holdfast = await startHoldfast('topology', await through(proxy), world.selector);
  await holdfast.ready();
  await world.ready(pod);
  await eventually(async () => expect(await written(holdfast)).toBe(1));
  await looksAgain(holdfast, () => world.unready(pod));
  await looksAgain(holdfast, () => world.ready(pod));
  expect(await patched(world)).toEqual([volume]);
});

/** Waits until what was done has made the job look at a volume, and be done with it. */
async function looksAgain(holdfast: Holdfast, act: () => Promise<unknown>): Promise<void> {
  const looks = () => holdfast.metric('controller_runtime_reconcile_total');
  const before = await looks();
  await act();
  await eventually(async () => (await looks()) > before, { for: 'another look' });
}

/** That many requests the job has under way at the most. */
const CONNECTIONS = 32;

const isEven = ({ name }: KubeCall): boolean => Number(name.match(/\d+$/)?.[0]) % 2 === 0;

const written = (holdfast: Holdfast) => holdfast.metric('holdfast_topology_writes_total', /result="written"/);

/** Waits until all volumes have been looked at so many times more. */
async function passes(holdfast: Holdfast, times: number): Promise<void> {
  const before = await holdfast.metric('workqueue_adds_total');
  await eventually(async () => (await holdfast.metric('workqueue_adds_total')) >= before + times * MANY, {
    for: `${times} passes over all volumes`,
  });
}

/** All but the watches. */
const asked = (events: readonly AuditEvent[]) => events.filter(({ verb }) => verb !== 'watch');

/** The same account by way of a proxy. */
const through = (proxy: FaultProxy): Promise<string> =>
  kubeconfigFlag(plane.directory, { token: account.token, identity: { namespace: 'by', name: 'proxy' } }, proxy);

describe('a write that goes wrong', () => {
  let world: World;
  let proxy: FaultProxy;
  let holdfast: Holdfast;
  let node: string;
  beforeAll(async () => {
    world = worldOf('faults');
    proxy = await startFaultProxy(plane);
    node = await world.node({ zone: 'a' });
    holdfast = await startHoldfast('topology', await through(proxy), world.selector);
    await holdfast.ready();
  });
  afterAll(async () => {
    await holdfast?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
  });

  const patchOf = (name: string) => ({ verb: 'patch', resource: 'persistentvolumes', name });

  const FAULTS: readonly (readonly [string, Fault, number])[] = [
    ['is carried out, but the reply is lost', { fault: 'lost-reply' }, 1],
    ['is reset before it arrives', { fault: 'reset' }, 2],
    ['is answered with 409', { fault: 'status', status: 409 }, 3],
    ['is answered with 429', { fault: 'status', status: 429, retryAfter: 1 }, 2],
    ['is answered with 500', { fault: 'status', status: 500 }, 7],
    ['is carried out and answered with 500', { fault: 'status', status: 500, carriedOut: true }, 1],
    ['is answered with 503', { fault: 'status', status: 503 }, 7],
  ];

  test.each(FAULTS)('and %s leads to the right labels, and changes the volume once', async (_, fault, times) => {
    const before = await written(holdfast);
    const volume = await world.volume({ labels: { team: 'web' }, annotations: { note: 'keep' } });
    const claim = await world.claim(volume);
    const rule = proxy.inject({ ...patchOf(volume), times }, fault);
    const { resourceVersion } = (await world.look(volume)).metadata;
    await world.readyPod(node, claim);
    await rule.struck(times);
    await eventually(async () => expect(await written(holdfast)).toBe(before + 1));
    expect(await world.labelsOf(volume)).toEqual({ team: 'web', [ZONE]: 'a' });
    expect(await changesSince(resourceVersion, volume)).toBe(1);
  });

  /** How often a volume was changed since, as a watch tells; one more change, by us, ends it. */
  async function changesSince(version: string, volume: string): Promise<number> {
    await world.edit(volume, { metadata: { annotations: { end: 'here' } } });
    const query = `watch=true&fieldSelector=metadata.name=${volume}&resourceVersion=${version}`;
    let changes = 0;
    for await (const { object } of await plane.admin.watch<Volume>(`${VOLUMES}?${query}`)) {
      if (object.metadata.annotations?.end === 'here') break;
      changes++;
    }
    return changes;
  }

  /** Holds the first patch of a volume back until something else has been done, and then lets it go on to the server. */
  async function meanwhile(volume: string, begin: () => Promise<unknown>, act: () => Promise<unknown>): Promise<void> {
    const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
    const rule = proxy.inject(patchOf(volume), { fault: 'delay', until: isDone });
    await begin();
    await rule.struck();
    await act();
    done();
  }

  test('and is carried out, but the reply is lost, does not silently undo what somebody wrote after it', async () => {
    const volume = await world.volume();
    const claim = await world.claim(volume);
    const rule = proxy.inject({ ...patchOf(volume), times: 1 }, { fault: 'lost-reply' });
    await world.readyPod(node, claim);
    await rule.struck();
    await world.hasLabels(volume, { [ZONE]: 'a' });
    await world.edit(volume, { metadata: { labels: { [ZONE]: 'moon' } } });
    await world.hasLabels(volume, { [ZONE]: 'a' });
    await eventually(async () => {
      expect(await world.events(volume)).toMatchObject([{ note: expect.stringContaining('"moon"') }]);
    });
  });

  test.each([
    ['changed the label', { [ZONE]: 'wrong' }],
    ['wrote the label that was missing', {}],
  ])('since somebody else %s meanwhile is decided anew, and takes nothing else away', async (_, labels) => {
    const volume = await world.volume({ labels });
    const claim = await world.claim(volume);
    await meanwhile(
      volume,
      () => world.readyPod(node, claim),
      () => world.edit(volume, { metadata: { labels: { [ZONE]: 'worse', team: 'web' } } }),
    );
    await world.hasLabels(volume, { [ZONE]: 'a', team: 'web' });
    expect(await holdfast.metric('holdfast_topology_writes_total', /result="conflict"/)).toBeGreaterThan(0);
    await eventually(async () => {
      expect(await world.events(volume)).toMatchObject([{ note: expect.stringContaining('"worse"') }]);
    });
  });

  test('since the volume is another one of the same name by now leaves that one alone', async () => {
    const volume = await world.volume();
    const claim = await world.claim(volume);
    await meanwhile(
      volume,
      () => world.readyPod(node, claim),
      async () => {
        await world.removeVolume(volume);
        await world.volume({ name: volume });
      },
    );
    const { metadata } = await world.look(volume);
    await world.settled();
    expect((await world.look(volume)).metadata).toEqual(metadata);
    expect(await world.labelsOf(volume)).toEqual({});
  });

  test('since the volume is gone by now is forgotten', async () => {
    const volume = await world.volume();
    const claim = await world.claim(volume);
    await meanwhile(
      volume,
      () => world.readyPod(node, claim),
      () => world.removeVolume(volume),
    );
    await eventually(async () => {
      expect(await holdfast.metric('holdfast_topology_writes_total', /result="gone"/)).toBe(1);
    });
    expect(await world.events(volume)).toEqual([]);
  });

  test('with --overwrite=missing never replaces what somebody wrote in the last moment', async () => {
    const careful = worldOf('careful');
    await using _job = await startHoldfast('topology', await through(proxy), careful.selector, '--overwrite=missing');
    const volume = await careful.volume();
    const claim = await careful.claim(volume);
    await meanwhile(
      volume,
      () => careful.readyPod(node, claim),
      () => careful.edit(volume, { metadata: { labels: { [ZONE]: 'mine' } } }),
    );
    await eventually(async () => {
      expect(await careful.events(volume)).toMatchObject([{ reason: 'TopologyConflict' }]);
    });
    expect(await careful.labelsOf(volume)).toEqual({ [ZONE]: 'mine' });
  });
});

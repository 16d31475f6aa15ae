/**
 * kill -9 at the worst moments: whenever the agent dies, the next one ends what it had begun, and the disk is clean. Each test has a
 * node of its own, and mostly waits: several run at a time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import { DevicesCluster, fill, isZero, MIB, NodeWorld, type Volume } from './world.ts';

let cluster: DevicesCluster;
beforeAll(async () => {
  cluster = await DevicesCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const SIZE = 64 * MIB;
const METHODS = ['zero-head', 'zero-all', 'random-all', 'discard'] as const;

/** A bound volume on whose disk its owner has written. */
async function used(node: string, wipeMethod: string) {
  const world = await NodeWorld.create(cluster, node);
  const proxy: FaultProxy = world.undo.use(await startFaultProxy(cluster.plane));
  const disk = await world.disk('disk', SIZE);
  await world.configure(world.configOf({ wipeMethod }));
  await world.agentBy(proxy);
  const volume = await world.becomes('disk', 'Available');
  const claim = await world.claim('disk');
  await fill(disk.path, SIZE);
  await eventually(async () => expect(await ledgerOf(world)).toMatchObject({ volume: { phase: 'Bound' } }));
  return { world, proxy, disk, volume, claim };
}

/** What is kept of the only device. */
async function ledgerOf(world: NodeWorld) {
  const { devices } = JSON.parse(await readFile(join(world.stateDir, 'devices.json'), 'utf8'));
  return Object.values(devices)[0] as {
    readonly volume?: { readonly phase: string };
    readonly wipe?: { readonly doneBytes: number };
    readonly clean?: object;
  };
}

/** Nothing of the last owner is left, and the volume is a new one, free to be claimed. */
async function endsWell(world: NodeWorld, path: string, method: string, former?: Volume) {
  const volume = await world.becomes('disk', 'Available', former);
  expect(volume.metadata.finalizers ?? []).not.toContain('holdfast.dev/wipe');
  expect(JSON.parse(volume.metadata.annotations?.['holdfast.dev/wiped'] ?? '{}')).toMatchObject({ method });
  if (method !== 'random-all') expect(await isZero(path, 0, SIZE)).toBe(true);
  else expect(await hasRun(path)).toBe(false);
}

/** Whether a page of the owner's bytes is there. */
async function hasRun(path: string): Promise<boolean> {
  return (await readFile(path)).includes(Buffer.alloc(4096, 0xa5));
}

const pv = (verb: string) => ({ verb, resource: 'persistentvolumes' });

const CALLS = [
  ['the volume is let go', pv('patch'), 2],
  ['the finalizer is put on', pv('patch'), 1],
  ['the volume is deleted', pv('delete'), 1],
  ['the new volume is made', pv('create'), 1],
] as const;

const MOMENTS = CALLS.flatMap(([when, match, nth]) => [
  [`before ${when}`, match, nth, 'drop'] as const,
  [`after ${when}, unheard`, match, nth, 'delay-reply'] as const,
]);

describe.concurrent.each(METHODS)('%s', (method) => {
  /** What the API is asked is the same for each method; only the first of these comes right after the last byte. */
  const moments = method === 'zero-all' ? MOMENTS : MOMENTS.slice(0, 1);

  test.each(moments)('killed %s', async (when, match, nth, fault) => {
    const node = `${method}-${when.replace(/\W+/g, '-')}`.slice(0, 60);
    const { world, proxy, disk, volume, claim } = await used(node, method);
    await using _world = world;
    const held = Promise.withResolvers<void>();
    const rule = proxy.inject(
      { ...match, name: match.verb === 'create' ? '' : volume.metadata.name, nth },
      fault === 'drop' ? { fault } : { fault, until: held.promise },
    );
    await world.unclaim(claim);
    await rule.struck();
    await world.kill();
    proxy.remove(rule);
    held.resolve();
    await world.agent();
    await endsWell(world, disk.path, method, volume);
  });

  test('killed in the middle of the wipe, again and again', async () => {
    const { world, disk, volume, claim } = await used(`${method}-midway`, method);
    await using _world = world;
    await world.kill();
    await world.unclaim(claim);
    await world.becomes('disk', 'Released');
    let last = 0;
    for (const share of [0, 0.2, 0.4]) {
      await world.agent('--wipe-bandwidth=8Mi');
      await eventually(async () => {
        const { wipe } = await ledgerOf(world);
        expect(wipe?.doneBytes ?? -1).toBeGreaterThanOrEqual(share * SIZE);
      });
      await world.kill();
      const { wipe } = await ledgerOf(world);
      expect(wipe?.doneBytes).toBeGreaterThanOrEqual(last);
      last = wipe?.doneBytes ?? 0;
      expect((await world.volume('disk')).metadata.finalizers).toContain('holdfast.dev/wipe');
    }
    await world.agent();
    await endsWell(world, disk.path, method, volume);
  });
});

test.concurrent('killed in the middle of the wipe before the first volume', async () => {
  await using world = await NodeWorld.create(cluster, 'first');
  const disk = await world.disk('disk', SIZE);
  await fill(disk.path, SIZE);
  await world.configure(world.configOf({ wipeMethod: 'zero-all' }));
  await world.agent('--wipe-bandwidth=8Mi');
  await eventually(async () => expect((await ledgerOf(world)).wipe).toBeDefined());
  await world.kill();
  expect(await world.find('disk')).toBeUndefined();
  await world.agent();
  await endsWell(world, disk.path, 'zero-all');
});

test.concurrent('an API server that is gone in the middle of a wipe is no reason to stop, and what was done is told when it is back', async () => {
  const { world, proxy, disk, volume, claim } = await used('outage', 'zero-all');
  await using _world = world;
  await world.kill();
  await world.agentBy(proxy, '--wipe-bandwidth=16Mi');
  await world.unclaim(claim);
  await eventually(async () => expect((await ledgerOf(world)).wipe).toBeDefined());
  const outage = proxy.inject({ times: Number.POSITIVE_INFINITY }, { fault: 'reset' });
  proxy.resetAllConnections();
  await eventually(async () => expect((await ledgerOf(world)).clean).toBeDefined());
  expect(await isZero(disk.path, 0, SIZE)).toBe(true);
  expect((await world.volume('disk')).metadata.uid).toBe(volume.metadata.uid);
  proxy.remove(outage);
  await endsWell(world, disk.path, 'zero-all', volume);
});

test.concurrent('told to stop, it ends at once in the middle of a wipe', async () => {
  const { world, disk, volume, claim } = await used('stopped', 'zero-all');
  await using _world = world;
  await world.kill();
  const agent = await world.agent('--wipe-bandwidth=1Mi');
  await world.unclaim(claim);
  await eventually(async () => expect((await ledgerOf(world)).wipe).toBeDefined());
  agent.send('SIGTERM');
  expect(await agent.ended()).toBe(0);
  expect(await isZero(disk.path, 0, SIZE)).toBe(false);
  await world.agent();
  await endsWell(world, disk.path, 'zero-all', volume);
});

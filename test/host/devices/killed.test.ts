/**
 * kill -9 at the worst moments: whenever the agent dies, the next one ends what it had begun, and the disk is clean. Each method of wiping
 * has a node of its own, where one disk after the other is killed; the nodes do so at the same time, and mostly wait.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import type { LoopDevice } from '../loop-device.ts';
import { DevicesCluster, fill, isZero, MIB, NodeWorld, type Volume } from './world.ts';

let cluster: DevicesCluster;
beforeAll(async () => {
  cluster = await DevicesCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const SIZE = 16 * MIB;
/** A wipe takes longer than until its first checkpoint, and what is read back after it takes some seconds, too. */
const SLOWLY = '--wipe-bandwidth=2Mi';
const METHODS = ['zero-head', 'zero-all', 'random-all', 'discard'] as const;

/** All bytes that are gone over. What is discarded is written, too. */
const lengthOf = (method: string): number => (method === 'discard' ? 2 : 1) * SIZE;

/** A node on which disks are wiped by this method. No agent runs yet. */
async function nodeOf(name: string, wipeMethod: string) {
  const world = await NodeWorld.create(cluster, name);
  const proxy: FaultProxy = world.undo.use(await startFaultProxy(cluster.plane));
  await world.configure(world.configOf({ wipeMethod }));
  return { world, proxy };
}

/** A bound volume on whose disk its owner has written. */
async function used(world: NodeWorld, name = 'disk') {
  const disk = await world.disk(name, SIZE);
  const volume = await world.becomes(name, 'Available');
  const claim = await world.claim(name);
  await fill(disk.path, SIZE);
  await eventually(async () => expect(await ledgerOf(world, name)).toMatchObject({ volume: { phase: 'Bound' } }));
  return { disk, volume, claim };
}

interface Kept {
  readonly path: string;
  readonly volume?: { readonly phase: string };
  readonly wipe?: { readonly doneBytes: number };
  readonly clean?: object;
}

/** What is kept of a device. */
async function ledgerOf(world: NodeWorld, name = 'disk'): Promise<Kept> {
  const { devices } = JSON.parse(await readFile(join(world.stateDir, 'devices.json'), 'utf8'));
  const kept = Object.values<Kept>(devices).find(({ path }) => path === world.pathOf(name));
  if (!kept) throw new Error(`the ledger does not know ${name} yet`);
  return kept;
}

/** Nothing of the last owner is left, and the volume is a new one, free to be claimed. */
async function endsWell(world: NodeWorld, { path }: LoopDevice, method: string, name = 'disk', former?: Volume) {
  const volume = await world.becomes(name, 'Available', former);
  expect(volume.metadata.finalizers ?? []).not.toContain('holdfast.dev/wipe');
  expect(JSON.parse(volume.metadata.annotations?.['holdfast.dev/wiped'] ?? '{}')).toMatchObject({ method });
  if (method !== 'random-all') expect(await isZero(path, 0, SIZE)).toBe(true);
  else expect((await readFile(path)).includes(OWNERS_PAGE)).toBe(false);
}

/** A page of the owner's bytes. */
const OWNERS_PAGE = Buffer.alloc(4096, 0xa5);

/** Whether the owner's first bytes are gone. Seen from behind: who opens the device itself is in the way of the agent. */
async function isBegun({ backing }: LoopDevice): Promise<boolean> {
  await using file = await open(backing);
  const { buffer } = await file.read(Buffer.alloc(OWNERS_PAGE.length), 0, OWNERS_PAGE.length, 0);
  return !buffer.equals(OWNERS_PAGE);
}

const pv = (verb: string) => ({ verb, resource: 'persistentvolumes' });

const CALLS = [
  ['the finalizer is put on', pv('patch'), 1],
  ['the volume is deleted', pv('delete'), 1],
  ['the volume is let go', pv('patch'), 2],
  ['the new volume is made', pv('create'), 1],
] as const;

const MOMENTS = CALLS.flatMap(([when, match, nth]) => [
  [`before ${when}`, match, nth, 'drop'] as const,
  [`after ${when}, unheard`, match, nth, 'delay-reply'] as const,
]);

/** How far a wipe is, by what is on the disks: of the node, where the ledger is, and the device itself. */
const PHASES: readonly (readonly [string, (kept: Kept, device: LoopDevice, ofBytes: number) => unknown])[] = [
  ['it is noted that it begins', ({ wipe }) => wipe],
  ['its first bytes are written', (_, device) => isBegun(device)],
  ['it is noted how far it is', ({ wipe }) => wipe && wipe.doneBytes > 0],
  ['it is read back', ({ wipe }, _, ofBytes) => wipe?.doneBytes === ofBytes],
];

/** On one node: who kills an agent kills it for all disks. */
const ONE_BY_ONE = { concurrent: false };

describe.concurrent.each(METHODS)('%s', (method) => {
  let world: NodeWorld;
  let proxy: FaultProxy;
  beforeAll(async () => {
    ({ world, proxy } = await nodeOf(method, method));
    await world.agentBy(proxy);
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test.each(MOMENTS)('killed %s', ONE_BY_ONE, async (when, match, nth, fault) => {
    const name = when.replace(/\W+/g, '-');
    const { disk, volume, claim } = await used(world, name);
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
    await world.agentBy(proxy);
    await endsWell(world, disk, method, name, volume);
  });

  test('killed in each phase of one wipe, one after the other', { ...ONE_BY_ONE, timeout: 300_000 }, async () => {
    const { disk, volume, claim } = await used(world, 'phases');
    await world.kill();
    await world.unclaim(claim);
    await world.becomes('phases', 'Released');
    let last = 0;
    for (const [phase, isReached] of PHASES) {
      await world.agent(SLOWLY);
      await eventually(async () => Boolean(await isReached(await ledgerOf(world, 'phases'), disk, lengthOf(method))), {
        for: phase,
      });
      await world.kill();
      const { wipe, clean } = await ledgerOf(world, 'phases');
      expect(clean).toBeUndefined();
      expect(wipe?.doneBytes).toBeGreaterThanOrEqual(last);
      last = wipe?.doneBytes ?? 0;
      expect((await world.volume('phases')).metadata.finalizers).toContain('holdfast.dev/wipe');
    }
    expect(last).toBe(lengthOf(method));
    await world.agentBy(proxy);
    await endsWell(world, disk, method, 'phases', volume);
  });

  test('killed in the wipe before the first volume', ONE_BY_ONE, async () => {
    await world.kill();
    const disk = await world.disk('first', SIZE);
    await fill(disk.path, SIZE);
    await world.agent(SLOWLY);
    await eventually(async () => expect((await ledgerOf(world, 'first')).wipe).toBeDefined());
    await world.kill();
    expect(await world.find('first')).toBeUndefined();
    await world.agentBy(proxy);
    await endsWell(world, disk, method, 'first');
  });
});

test.concurrent('an API server that is gone in the middle of a wipe is no reason to stop, and what was done is told when it is back', async () => {
  const { world, proxy } = await nodeOf('outage', 'zero-all');
  await using _world = world;
  await world.agentBy(proxy);
  const { disk, volume, claim } = await used(world);
  await world.kill();
  await world.agentBy(proxy, SLOWLY);
  await world.unclaim(claim);
  await eventually(async () => expect((await ledgerOf(world)).wipe).toBeDefined());
  const outage = proxy.inject({ times: Number.POSITIVE_INFINITY }, { fault: 'reset' });
  proxy.resetAllConnections();
  await eventually(async () => expect((await ledgerOf(world)).clean).toBeDefined());
  expect(await isZero(disk.path, 0, SIZE)).toBe(true);
  expect((await world.volume('disk')).metadata.uid).toBe(volume.metadata.uid);
  proxy.remove(outage);
  await endsWell(world, disk, 'zero-all', 'disk', volume);
});

test.concurrent('told to stop, it ends at once in the middle of a wipe', async () => {
  const { world } = await nodeOf('stopped', 'zero-all');
  await using _world = world;
  await world.agent();
  const { disk, volume, claim } = await used(world);
  await world.kill();
  const agent = await world.agent(SLOWLY);
  await world.unclaim(claim);
  await eventually(async () => expect((await ledgerOf(world)).wipe).toBeDefined());
  agent.send('SIGTERM');
  expect(await agent.ended()).toBe(0);
  expect(await isZero(disk.path, 0, SIZE)).toBe(false);
  await world.agent();
  await endsWell(world, disk, 'zero-all', 'disk', volume);
});

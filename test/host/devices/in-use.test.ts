/**
 * A volume that its owner has left, whose device somebody still uses: the agent says who, and writes nothing. When they have gone, it goes
 * on by itself. Each test has a node of its own, and mostly waits: all of them run at a time.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import { aStranger } from '../guards-stranger.ts';
import { aLoopDevice, aLoopDeviceOver } from '../loop-device.ts';
import { DevicesCluster, fill, hashOf, isZero, MIB, NodeWorld, run, type Volume } from './world.ts';

let cluster: DevicesCluster;
beforeAll(async () => {
  cluster = await DevicesCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const SIZE = 8 * MIB;

const worldOf = (node: string) => NodeWorld.create(cluster, node);

/** A bound volume on whose disk its owner has written. */
async function used(world: NodeWorld) {
  const proxy: FaultProxy = world.undo.use(await startFaultProxy(cluster.plane));
  const disk = await world.disk('disk', SIZE);
  await world.configure(world.configOf({ wipeMethod: 'zero-all' }));
  const agent = await world.agentBy(proxy);
  const volume = await world.becomes('disk', 'Available');
  const claim = await world.claim('disk');
  await fill(disk.path, SIZE);
  await world.settled(agent);
  return { proxy, disk, volume, claim };
}

/** Everybody who asks is told: the Event, the volume itself, the status. The volume is kept. */
async function isRefused(world: NodeWorld, volume: Volume, reason: string, why: RegExp) {
  const { note } = await world.told('PersistentVolume', volume.metadata.name, reason);
  expect(note).toMatch(why);
  await eventually(async () => {
    const { metadata, status } = await world.volume('disk');
    expect(metadata.annotations?.['holdfast.dev/device-trouble']).toMatch(why);
    expect(metadata).toMatchObject({ uid: volume.metadata.uid });
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(status.phase).toBe('Released');
  });
  await eventually(
    async () => {
      const { stdout } = await world.command('status', 'devices', world.node);
      expect(stdout).toMatch(new RegExp(`refused: .*${why.source}`));
    },
    { interval: 1_000 },
  );
}

/** Another volume, of a disk on which nothing is left. */
async function isRecycled(world: NodeWorld, volume: Volume, path: string) {
  const fresh = await world.becomes('disk', 'Available', volume);
  expect(fresh.metadata.annotations).not.toHaveProperty('holdfast.dev/device-trouble');
  expect(await isZero(path, 0, SIZE)).toBe(true);
}

describe.concurrent('a device is left alone until', () => {
  test('it is no longer swapped to', async () => {
    await using world = await worldOf('swap');
    const { disk, volume, claim } = await used(world);
    /** The kernel may use its part at any time: behind it, and in its head, only we could have written. */
    const areaKiB = 64;
    await run('mkswap', disk.path, `${areaKiB}`);
    await using swap = new AsyncDisposableStack();
    await run('swapon', disk.path);
    swap.defer(async () => void (await run('swapoff', disk.path)));
    const before = await hashOf(disk.path, areaKiB * 1024);
    await world.unclaim(claim);
    await isRefused(world, volume, 'DeviceIsSwap', /is swapped to/);
    expect(await hashOf(disk.path, areaKiB * 1024)).toBe(before);
    expect((await run('blkid', '--probe', '--match-tag=TYPE', '--output=value', disk.path)).stdout.trim()).toBe('swap');
    await swap.disposeAsync();
    await isRecycled(world, volume, disk.path);
  });

  test('nobody has it open who writes it raw', async () => {
    await using world = await worldOf('raw');
    const { disk, volume, claim } = await used(world);
    await using writer = await aStranger('exec 3<>"$1"; printf "still mine" >&3', [disk.path]);
    const before = await hashOf(disk.path);
    await world.unclaim(claim);
    await isRefused(world, volume, 'DeviceIsOpen', new RegExp(`is open in process ${writer.pid} `));
    expect(await hashOf(disk.path)).toBe(before);
    await writer[Symbol.asyncDispose]();
    await isRecycled(world, volume, disk.path);
  });

  test('it is under no other loop device', async () => {
    await using world = await worldOf('loop');
    const { disk, volume, claim } = await used(world);
    const above = world.undo.use(await aLoopDeviceOver(disk.path));
    const before = await hashOf(disk.path);
    await world.unclaim(claim);
    await isRefused(world, volume, 'DeviceIsBehindALoopDevice', new RegExp(`is behind ${above.path.slice(5)}\\b`));
    expect(await hashOf(disk.path)).toBe(before);
    await above[Symbol.asyncDispose]();
    await isRecycled(world, volume, disk.path);
  });
});

/** What the agent asks for before it opens the device, and for the last time when it holds it. */
const LISTS = { beforeItIsOpened: 1, whileItIsHeld: 2 };

describe.concurrent('a link that leads to another device while the agent is at work', () => {
  /** The volume is released, and the agent waits for an answer of the server until `goOn`. */
  async function waitingFor(nth: number, world: NodeWorld, { proxy, claim }: { proxy: FaultProxy; claim: string }) {
    const held = Promise.withResolvers<void>();
    const lists = { verb: 'list', resource: 'persistentvolumes', nth } as const;
    const rule = proxy.inject(lists, { fault: 'delay-reply', until: held.promise });
    await world.unclaim(claim);
    await rule.struck();
    return { goOn: held.resolve };
  }

  test('is found out before anything is written, and goes on when it leads back', async () => {
    await using world = await worldOf('before');
    const { disk, volume, ...story } = await used(world);
    const other = world.undo.use(await aLoopDevice(2 * SIZE));
    await run('mkfs.ext4', '-q', other.path);
    const before = [await hashOf(disk.path), await hashOf(other.path)];
    const { goOn } = await waitingFor(LISTS.beforeItIsOpened, world, story);
    await world.relink('disk', other.path);
    goOn();
    await isRefused(world, volume, 'DeviceIsAnotherDevice', /is not the device of this volume/);
    expect([await hashOf(disk.path), await hashOf(other.path)]).toEqual(before);
    await world.relink('disk', disk.path);
    await isRecycled(world, volume, disk.path);
    expect(await hashOf(other.path)).toBe(before[1]);
  });

  test('changes nothing once the device is held: that one is wiped, and the other one is not touched', async () => {
    await using world = await worldOf('held');
    const { disk, volume, ...story } = await used(world);
    const other = world.undo.use(await aLoopDevice(2 * SIZE));
    await run('mkfs.ext4', '-q', other.path);
    const before = await hashOf(other.path);
    const { goOn } = await waitingFor(LISTS.whileItIsHeld, world, story);
    await world.relink('disk', other.path);
    goOn();
    await world.told('PersistentVolume', volume.metadata.name, 'DeviceWiped');
    expect(await isZero(disk.path, 0, SIZE)).toBe(true);
    await world.told('Node', world.node, 'DeviceHasForeignData');
    expect(await hashOf(other.path)).toBe(before);
    await world.relink('disk', disk.path);
    await isRecycled(world, volume, disk.path);
  });
});

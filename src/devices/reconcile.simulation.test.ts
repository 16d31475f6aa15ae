import { describe, expect, it } from 'vitest';
import { DeviceError } from '../kit/host/device-error.ts';
import { FileError } from '../kit/host/file-error.ts';
import type { Fault } from '../kit/host/simulated/faults.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { WIPE_METHODS, type WipeMethod } from './contract.ts';
import { DISK_BYTES, LEDGER, SimulatedNode, volumeAt } from './simulated-node.ts';

const VOLUME = volumeAt('b');
/** For a machine that has other things to do. */
const PATIENCE = { timeout: 180_000 };
const NAMED = { wwid: 'naa.b' };
const UNNAMED = { wwid: '' };
interface Way {
  readonly method: WipeMethod;
  readonly disk: string;
  readonly identity: { readonly wwid: string };
  readonly isMain: boolean;
}

const WAYS: readonly Way[] = [
  ...WIPE_METHODS.map((method) => ({ method, disk: 'a disk', identity: NAMED, isMain: method === 'zero-head' })),
  { method: 'zero-head', disk: 'a disk without a name', identity: UNNAMED, isMain: false },
];
/** Of the two volumes, and of what is put on them and taken from them; a fault may add a few. */
const MOST_WRITES = 12;

/** A node with one disk, on which nobody has anything. */
function aNode(wipeMethod: WipeMethod, identity: { wwid?: string } = NAMED): SimulatedNode {
  const node = new SimulatedNode({ wipeMethod });
  node.addDisk('b', { discardMaxBytes: 2 ** 30, ...identity });
  return node;
}

/** A volume is made, somebody has it and leaves it, and it is made anew. Whenever the process dies, the next one goes on. */
async function story(node: SimulatedNode, afterDeath: () => void = () => {}): Promise<void> {
  let agent = await node.start();
  const untilAtRest = async () => {
    while (!(await agent.settle())) {
      if (agent.isAlive) throw new Error('it does not come to rest');
      afterDeath();
      agent = await node.start();
    }
  };
  await untilAtRest();
  expect(node.bind(VOLUME)).toBe(true);
  await untilAtRest();
  node.release(VOLUME);
  await untilAtRest();
}

/** As an undisturbed story ends. */
function expectTheEnd(node: SimulatedNode): void {
  expect(node.violations).toEqual([]);
  expect(node.cluster.volumes).toHaveLength(1);
  const [volume] = node.cluster.volumes;
  expect(volume?.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
  expect(volume?.metadata.deletionTimestamp).toBeUndefined();
  expect(volume?.status?.phase).toBe('Available');
  expect(volume?.spec?.claimRef).toBeUndefined();
  const [entry, ...others] = node.ledger.devices.values();
  expect(others).toEqual([]);
  expect(entry?.volume).toMatchObject({ name: VOLUME, uid: volume?.metadata.uid, phase: 'Available' });
  expect([entry?.wipe, entry?.clean]).toEqual([undefined, undefined]);
  expect(node.apiWrites.length).toBeLessThanOrEqual(MOST_WRITES);
  expect(node.apiWrites.filter((write) => write.startsWith('POST')).length).toBeLessThanOrEqual(4);
}

/** Every operation of an undisturbed story until nothing is changed any more: each of them is a place for a fault. */
async function rehearsed(...node: Parameters<typeof aNode>): Promise<readonly Operation[]> {
  const rehearsal = aNode(...node);
  await story(rehearsal);
  expectTheEnd(rehearsal);
  const { calls, faults } = rehearsal.machine;
  expect(faults.calls).toBe(calls.length);
  return calls.slice(0, calls.findLastIndex(({ changes }) => changes) + 1);
}

/** Between two changes it makes no difference for what is left behind when a process ends. One way is enough to see that. */
const isAPlaceToDie = ({ changes }: Operation, { isMain }: Way) => changes || isMain;

describe('the story of a disk', () => {
  it.each(WIPE_METHODS)('that is wiped by %s takes five writes to the API', async (method) => {
    const node = aNode(method);
    await story(node);
    expectTheEnd(node);
    expect(node.apiWrites.map((write) => write.split(' ')[0])).toEqual(['POST', 'PATCH', 'DELETE', 'PATCH', 'POST']);
  });
});

describe('a dry run', () => {
  it('tells what would be done, and does nothing', async () => {
    const node = new SimulatedNode({}, { dryRun: true });
    const disk = node.addDisk('b');
    node.addDisk('c');
    const agent = await node.start();
    const from = node.machine.journal.length;
    node.putForeignData(disk);
    await agent.settle();
    expect(agent.standings.get(VOLUME)?.state).toMatchObject({ is: 'refused', fact: 'hasForeignData' });
    expect(agent.standings.get(volumeAt('c'))?.state).toMatchObject({
      is: 'planned',
      what: 'make',
      ofBytes: DISK_BYTES,
    });
    expect(node.machine.journal.slice(from)).toEqual([]);
    expect(node.events.filter(({ reason }) => reason !== 'DeviceHasForeignData')).toEqual([]);
  });

  it('tells of a device that cannot even be opened', async () => {
    const node = new SimulatedNode({}, { dryRun: true });
    node.addDisk('b');
    const error = new DeviceError('open', '/dev/b', 'io', 'it fails');
    node.machine.faults.when(({ verb }) => verb === 'device.open', { kind: 'fail', error }, 100);
    const agent = await node.start();
    await agent.settle(3);
    expect(agent.standings.get(VOLUME)?.state).toMatchObject({ is: 'failed' });
  });

  it('of a volume that was released leaves it as it is', async () => {
    const before = aNode('zero-all');
    const agent = await before.start();
    await agent.settle();
    before.bind(VOLUME);
    await agent.settle();
    agent.kill();
    before.release(VOLUME);
    before.settings = { ...before.settings, dryRun: true };
    const dry = await before.start();
    const from = before.machine.journal.length;
    await dry.settle();
    expect(before.machine.journal.slice(from)).toEqual([]);
    expect(dry.standings.get(VOLUME)?.state).toMatchObject({ is: 'planned', what: 'recycle', method: 'zero-all' });
    expect(before.phaseOf(VOLUME)).toBe('Released');
  });
});

describe('a dry run beside the agent of the node', () => {
  it('leaves the ledger to it, which goes on', async () => {
    const node = aNode('zero-all');
    const agent = await node.start();
    await agent.settle();
    node.settings = { ...node.settings, dryRun: true };
    const dry = await node.start();
    node.bind(VOLUME);
    await dry.settle();
    await agent.settle();
    node.release(VOLUME);
    await dry.settle();
    expect(node.ledger.devices.values().next().value?.volume?.phase).toBe('Bound');
    expect(await agent.settle()).toBe(true);
    expectTheEnd(node);
  });
});

describe('an agent beside which another one is started', () => {
  it('wipes nothing any more once that one has written the ledger', async () => {
    const node = aNode('zero-all');
    const old = await node.start();
    await old.settle();
    const young = await node.start();
    node.bind(VOLUME);
    await young.settle();
    node.release(VOLUME);
    const from = node.machine.journal.length;
    await old.settle(4);
    expect(node.machine.journal.slice(from)).toEqual([]);
    expect(await young.settle()).toBe(true);
    expectTheEnd(node);
  });
});

describe('a process that is killed at any call', PATIENCE, () => {
  it.each(WAYS)('while it looks after $disk with $method is followed by one that goes on', async (way) => {
    for (const [index, operation] of (await rehearsed(way.method, way.identity)).entries()) {
      if (!isAPlaceToDie(operation, way)) continue;
      for (const kind of operation.changes ? (['crash-before', 'crash-after'] as const) : (['crash-before'] as const)) {
        const node = aNode(way.method, way.identity);
        node.machine.faults.at(index + 1, { kind });
        await story(node);
        expect(node.machine.hosts, `killed at call ${index + 1}`).toHaveLength(2);
        expectTheEnd(node);
      }
    }
  });

  it.each(WAYS)(
    'by a power cut while it looks after $disk with $method is followed by one that goes on',
    async (way) => {
      for (const [index, { changes }] of (await rehearsed(way.method, way.identity)).entries()) {
        if (!changes) continue;
        const node = aNode(way.method, way.identity);
        node.machine.faults.at(index + 1, { kind: 'crash-after' });
        await story(node, () => node.reboot());
        expectTheEnd(node);
      }
    },
  );
});

describe('a call of the API that fails', PATIENCE, () => {
  const refused = new ConnectionError('nobody listens', { mayHaveHappened: false });
  const lost = new ConnectionError('the connection broke', { mayHaveHappened: true });
  const answered = (status: number, reason: 'Conflict' | 'InternalError') =>
    new ApiError({ request: 'a call', status, reason, detail: 'as the test wants it' });

  it.each<{ name: string; fault: Fault; isOfWrites?: boolean }>([
    { name: 'since nobody listens', fault: { kind: 'fail', error: refused } },
    { name: 'since the request is lost', fault: { kind: 'fail', error: lost } },
    { name: 'since the reply is lost', fault: { kind: 'fail-after', error: lost } },
    { name: 'with 500', fault: { kind: 'fail', error: answered(500, 'InternalError') } },
    { name: 'with 500 after it was carried out', fault: { kind: 'fail-after', error: answered(500, 'InternalError') } },
    { name: 'with 409', fault: { kind: 'fail', error: answered(409, 'Conflict') }, isOfWrites: true },
  ])('$name, once or for a while, changes nothing in the end', async ({ fault, isOfWrites }) => {
    const calls = (await rehearsed('zero-head')).filter(({ target }) => target === 'api');
    for (const [index, { changes }] of calls.entries())
      for (const times of [1, 6]) {
        if (isOfWrites && !changes) continue;
        const node = aNode('zero-head');
        let seen = 0;
        node.machine.faults.when(({ target }) => target === 'api' && seen++ >= index, fault, times);
        await story(node);
        expect(seen, 'the fault has struck').toBeGreaterThan(index);
        expectTheEnd(node);
      }
  });
});

describe('a call of the machine that fails', PATIENCE, () => {
  it.each(WIPE_METHODS)('while a disk is wiped by %s changes nothing in the end', async (method) => {
    for (const [index, operation] of (await rehearsed(method)).entries()) {
      if (!isAPlaceToFail(operation, method)) continue;
      for (const kind of operation.changes ? (['fail', 'fail-after'] as const) : (['fail'] as const)) {
        const node = aNode(method);
        node.machine.faults.at(index + 1, { kind });
        await story(node);
        expectTheEnd(node);
      }
    }
  });

  /** What is looked at besides the device is the same for all methods. */
  const isAPlaceToFail = ({ verb, target }: Operation, method: WipeMethod) =>
    target !== 'api' && (method === 'zero-head' || /^(device|exec|file.write)/.test(verb));

  it('since the disk of the ledger is full, for a while, changes nothing in the end', async () => {
    const writes = (await rehearsed('zero-head')).filter(({ verb }) => verb === 'file.write');
    expect(writes.length).toBeGreaterThan(10);
    for (const index of writes.keys()) {
      const node = aNode('zero-head');
      const error = new FileError('write', LEDGER, 'ENOSPC');
      let seen = 0;
      node.machine.faults.when(({ verb }) => verb === 'file.write' && seen++ >= index, { kind: 'fail', error }, 3);
      await story(node);
      expectTheEnd(node);
    }
  });

  it.each(WIPE_METHODS)(
    'when the disk takes no write lets the volume go, and makes none by %s until it does',
    async (method) => {
      const node = aNode(method);
      const agent = await node.start();
      await agent.settle();
      node.bind(VOLUME);
      await agent.settle();
      const isWrite = ({ verb, target }: Operation) => verb === 'device.write' || target === 'blkdiscard';
      node.machine.faults.when(isWrite, { kind: 'fail' }, Number.POSITIVE_INFINITY);
      node.release(VOLUME);
      await agent.settle(6);
      expect(node.cluster.volumes).toEqual([]);
      expect(agent.standings.get(VOLUME)?.state).toMatchObject({ is: 'failed' });
      expect(node.isIntact(node.diskOf(VOLUME) ?? never())).toBe(true);
      node.machine.faults.clear();
      expect(await agent.settle()).toBe(true);
      expectTheEnd(node);
    },
  );

  it('when the disk cannot be opened keeps the volume, which nobody has', async () => {
    const node = aNode('zero-head');
    const agent = await node.start();
    await agent.settle();
    node.bind(VOLUME);
    await agent.settle();
    node.machine.faults.when(({ verb }) => verb === 'device.open', { kind: 'fail' }, Number.POSITIVE_INFINITY);
    node.release(VOLUME);
    await agent.settle(6);
    expect(node.phaseOf(VOLUME)).toBe('Released');
    expect(node.cluster.volume(VOLUME)?.metadata.deletionTimestamp).toBeUndefined();
    node.machine.faults.clear();
    expect(await agent.settle()).toBe(true);
    expectTheEnd(node);
  });
});

function never(): never {
  throw new Error('there is none');
}

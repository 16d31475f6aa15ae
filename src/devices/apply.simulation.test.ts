import { describe, expect, it } from 'vitest';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { CONFIG_ANNOTATION, DEVICE_ANNOTATION, HOSTNAME_LABEL, WIPE_FINALIZER } from './contract.ts';
import { DEVICE_PATIENCE_MS } from './looking.ts';
import type { SimulatedAgent } from './simulated-agent.ts';
import { DEVICE_DIR, DISK_BYTES, LEDGER, SimulatedNode, volumeAt } from './simulated-node.ts';

const VOLUME = volumeAt('b');
/** For a machine that has other things to do. */
const PATIENCE = { timeout: 120_000 };

/** A node whose disk is a volume that nobody has. */
async function withAVolume(identity: { wwid?: string; serial?: string } = {}) {
  const node = new SimulatedNode();
  const disk = node.addDisk('b', identity);
  const agent = await node.start();
  expect(await agent.settle()).toBe(true);
  return { node, disk, agent };
}

/** A node whose disk is a volume that somebody has, as the agent has seen. */
async function withATenant(identity: { wwid?: string; serial?: string } = {}) {
  const world = await withAVolume(identity);
  world.node.bind(VOLUME);
  expect(await world.agent.settle()).toBe(true);
  return world;
}

/** And has left, which the agent does not know yet. */
async function withALeftVolume() {
  const world = await withATenant();
  world.node.release(VOLUME);
  return world;
}

/** How many calls it takes until nothing is changed any more. */
async function callsOf({ node, agent }: { node: SimulatedNode; agent: SimulatedAgent }): Promise<number> {
  const before = node.machine.calls.length;
  await agent.settle();
  return node.machine.calls.findLastIndex(({ changes }) => changes) + 1 - before;
}

const refusalOf = (agent: SimulatedAgent, volume = VOLUME) => {
  const state = agent.standings.get(volume)?.state;
  return state?.is === 'refused' ? state.fact : state?.is;
};

describe('a volume that is bound again', PATIENCE, () => {
  it.each<[string, string, (node: SimulatedNode) => void]>([
    ['by somebody else, after a person took its claim away,', 'Bound', takenOver],
    ['by nobody yet, after a person took its claim away,', 'Available', (node) => node.cluster.unbind(VOLUME)],
    ['by the same claim, which was restored,', 'Bound', (node) => node.comeBack(VOLUME)],
  ])('%s before any call that we make, is not wiped', async (_, phase, happens) => {
    const calls = await callsOf(await withALeftVolume());
    let kept = 0;
    for (let call = 1; call <= calls; call++) {
      const { node, disk, agent } = await withALeftVolume();
      let isKept = false;
      node.before(call, () => {
        const volume = node.cluster.volume(VOLUME);
        if (volume?.metadata.deletionTimestamp || volume?.status?.phase !== 'Released') return;
        happens(node);
        isKept = true;
        kept += 1;
      });
      expect(await agent.settle()).toBe(true);
      expect(node.violations, `before call ${call}`).toEqual([]);
      expect(node.phaseOf(VOLUME)).toBe(isKept ? phase : 'Available');
      if (!isKept) continue;
      expect(node.isIntact(disk)).toBe(true);
      expect(node.cluster.volume(VOLUME)?.metadata.finalizers).not.toContain(WIPE_FINALIZER);
    }
    expect(kept).toBeGreaterThan(10);
  });

  function takenOver(node: SimulatedNode): void {
    node.cluster.unbind(VOLUME);
    node.bind(VOLUME);
  }

  it('under its name by somebody who replaced it before any call until we wipe, is not wiped', async () => {
    const calls = await callsOf(await withALeftVolume());
    let kept = 0;
    for (let call = 1; call <= calls; call++) {
      const { node, disk, agent } = await withALeftVolume();
      const from = node.machine.journal.length;
      const hasBegun = () => node.machine.journal.slice(from).some(({ verb }) => verb === 'device.write');
      let isKept = false;
      node.before(call, ({ verb, target }) => {
        /** Between the last look at the volume and the first byte that is written, the ledger is. */
        const isTooLate = hasBegun() || target === LEDGER || verb === 'device.write';
        if (isTooLate || !node.cluster.volume(VOLUME)) return;
        node.replace(VOLUME);
        isKept = true;
        kept += 1;
      });
      await agent.settle();
      expect(node.violations, `before call ${call}`).toEqual([]);
      if (isKept) expect(node.isIntact(disk)).toBe(true);
    }
    expect(kept).toBeGreaterThan(10);
  });

  it('while our caches stand still is not wiped', async () => {
    const { node, disk, agent } = await withALeftVolume();
    agent.refresh();
    agent.isStale = true;
    node.cluster.unbind(VOLUME);
    node.bind(VOLUME);
    await agent.settle(4);
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
    expect(node.apiWrites).toHaveLength(1);
  });
});

describe('a volume that our caches do not show', () => {
  it('is not made again, and its device is not touched', async () => {
    const { node, disk, agent } = await withATenant();
    agent.kill();
    const blind = await node.start({ hidden: [VOLUME] });
    await blind.settle(4);
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
    expect(node.cluster.volumes).toHaveLength(1);
  });
});

describe('a device that takes the place of another', PATIENCE, () => {
  /** The link leads to the disk of another volume, which somebody has. */
  async function withAnother() {
    const node = new SimulatedNode();
    const other = node.addDisk('c');
    const agent = await node.start();
    await agent.settle();
    node.bind(volumeAt('c'));
    await agent.settle();
    node.addDisk('b');
    return { node, other, agent };
  }

  /** After the last look, and before the server has heard of the volume, nobody can notice it in time. */
  const isCreation = ({ argv }: Operation) => argv?.[0] === 'POST';

  it('before any call while a volume is made is neither wiped nor handed out', async () => {
    const calls = await callsOf(await withAnother());
    for (let call = 1; call <= calls; call++) {
      const { node, other, agent } = await withAnother();
      node.before(call, (operation) => !isCreation(operation) && node.link('b', other));
      await agent.settle();
      expect(node.violations, `before call ${call}`).toEqual([]);
      expect(node.isIntact(other)).toBe(true);
    }
  });

  it('before any call while a volume is recycled is neither wiped nor handed out', async () => {
    const released = async () => {
      const world = await withAnother();
      await world.agent.settle();
      world.node.bind(VOLUME);
      await world.agent.settle();
      world.node.release(VOLUME);
      return world;
    };
    const calls = await callsOf(await released());
    for (let call = 1; call <= calls; call++) {
      const { node, other, agent } = await released();
      node.before(call, (operation) => !isCreation(operation) && node.link('b', other));
      await agent.settle();
      expect(node.violations, `before call ${call}`).toEqual([]);
      expect(node.isIntact(other)).toBe(true);
    }
  });
});

describe('a device that somebody else makes a volume of', PATIENCE, () => {
  const foreign = {
    metadata: { name: 'foreign' },
    spec: {
      local: { path: '/dev/sd-b' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME_LABEL, operator: 'In', values: ['n1'] }] }],
        },
      },
    },
    status: { phase: 'Available' },
  };
  const withANewDisk = async () => {
    const node = new SimulatedNode();
    return { node, disk: node.addDisk('b'), agent: await node.start() };
  };

  it.each([
    ['a volume is made', withANewDisk],
    ['a volume is recycled', withALeftVolume],
  ])('before any call until we hold it to wipe it is not wiped when %s', async (_, world) => {
    const calls = await callsOf(await world());
    let kept = 0;
    for (let call = 1; call <= calls; call++) {
      const { node, agent } = await world();
      const [from, before] = [node.machine.calls.length, node.machine.journal.length];
      const hasHeld = () => node.machine.calls.slice(from).filter(({ verb }) => verb === 'device.open').length > 1;
      let isMade = false;
      node.before(call, () => {
        if (hasHeld()) return;
        node.cluster.put('persistentvolumes', foreign);
        isMade = true;
        kept += 1;
      });
      await agent.settle();
      expect(node.violations).toEqual([]);
      if (!isMade) continue;
      expect(refusalOf(agent), `before call ${call}`).toBe('isUsedByAnotherVolume');
      const written = node.machine.journal.slice(before).filter(({ verb }) => verb === 'device.write');
      expect(written).toEqual([]);
    }
    expect(kept).toBeGreaterThan(10);
  });
});

describe('a device that several nodes can reach', () => {
  const ofAnotherNode = (wwid: string) => ({
    metadata: {
      name: 'local-n2-b',
      annotations: { [DEVICE_ANNOTATION]: JSON.stringify({ sizeBytes: DISK_BYTES, wwid }) },
    },
    spec: {
      local: { path: '/dev/disks/b' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME_LABEL, operator: 'In', values: ['n2'] }] }],
        },
      },
    },
    status: { phase: 'Bound' },
  });

  it('and that is the volume of another one is not wiped', async () => {
    const node = new SimulatedNode();
    const disk = node.addDisk('b', { wwid: 'naa.shared' });
    node.cluster.put('persistentvolumes', ofAnotherNode('naa.shared'));
    const agent = await node.start();
    const before = node.machine.journal.length;
    await agent.settle();
    expect(refusalOf(agent)).toBe('isUsedByAnotherVolume');
    expect(node.machine.journal.slice(before).filter(({ target }) => target === `/dev/${disk.name}`)).toEqual([]);
  });

  it('is told from one that only has the same serial number, or the same path', async () => {
    const node = new SimulatedNode();
    node.addDisk('b', { wwid: 't10.QEMU' });
    node.cluster.put('persistentvolumes', ofAnotherNode('t10.QEMU'));
    const agent = await node.start();
    expect(await agent.settle()).toBe(true);
    expect(agent.standings.get(VOLUME)?.state).toEqual({ is: 'available' });
  });
});

describe('a device that a volume of another kind leads to', () => {
  const onHost = (path: string, node?: string) => ({
    metadata: { name: 'by-host-path' },
    spec: {
      hostPath: { path, type: 'BlockDevice' },
      ...(node && {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME_LABEL, operator: 'In', values: [node] }] }],
          },
        },
      }),
    },
    status: { phase: 'Bound' },
  });

  async function beside(volume: PersistentVolume, isRaw = true) {
    const node = new SimulatedNode();
    const disk = node.addDisk('b');
    node.putForeignData(disk, { isRaw });
    node.cluster.put('persistentvolumes', volume);
    const agent = await node.start();
    await agent.settle();
    return { node, disk, agent };
  }

  it.each([
    ['this node', 'n1', true],
    ['every node', undefined, true],
    ['this node, with a filesystem that a person could approve of wiping,', 'n1', false],
  ])('by a path of %s is not wiped', async (_, affinity, isRaw) => {
    const { node, disk, agent } = await beside(onHost('/dev/sd-b', affinity), isRaw);
    expect([refusalOf(agent), node.isIntact(disk)]).toEqual(['isUsedByAnotherVolume', true]);
  });

  it.each([
    ['a path of another node', onHost('/dev/sd-b', 'n2')],
    ['no path to it', onHost('/var/lib/data')],
  ])('by %s is not that', async (_, volume) => {
    const { node, agent } = await beside(volume);
    expect(agent.standings.get(VOLUME)?.state).toEqual({ is: 'available' });
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('a device that does not answer', () => {
  const HANGS = ['device.open', 'device.read'] as const;

  /** The first of two devices hangs, and one can be worked on at a time. */
  async function withAHangingDevice(verb: (typeof HANGS)[number], times = 1) {
    const node = new SimulatedNode({}, { wipesAtOnce: 1 });
    node.addDisk('a');
    node.addDisk('b');
    let asked = 0;
    const hangs = ({ verb: now, target }: Operation) => now === verb && target.endsWith('/a') && ++asked > 0;
    node.machine.faults.when(hangs, { kind: 'hang' }, times);
    const agent = await node.start();
    await agent.settle();
    return { node, agent, asked: () => asked };
  }

  it.each(HANGS)('to %s is told, and does not keep others from their turn', async (verb) => {
    const { node, agent } = await withAHangingDevice(verb);
    expect(agent.standings.get(volumeAt('a'))?.state).toMatchObject({
      is: 'refused',
      fact: 'doesNotAnswer',
      canBeApproved: false,
    });
    expect(node.events.map(({ reason }) => reason)).toContain('DeviceDoesNotAnswer');
    expect(node.phaseOf(VOLUME)).toBe('Available');
    expect(node.violations).toEqual([]);
  });

  it.each(HANGS)('to %s is not asked again as long as that lasts', async (verb) => {
    const { agent, asked } = await withAHangingDevice(verb, Number.POSITIVE_INFINITY);
    const before = asked();
    await agent.settle(5);
    expect([before, asked()]).toEqual([1, 1]);
  });

  it('in time becomes a volume when it does, and what was opened for nothing is closed', async () => {
    const node = new SimulatedNode({}, { wipesAtOnce: 1 });
    node.addDisk('b');
    const late = { kind: 'delay', ms: DEVICE_PATIENCE_MS + 60_000 } as const;
    node.machine.faults.when(({ verb }) => verb === 'device.open', late);
    const agent = await node.start();
    await agent.round();
    expect(refusalOf(agent)).toBe('doesNotAnswer');
    await node.clock.advance(60_000);
    expect([...agent.host.descriptors]).toEqual([]);
    expect(await agent.settle()).toBe(true);
    expect([node.phaseOf(VOLUME), node.violations]).toEqual(['Available', []]);
  });

  it('keeps the volume that it was left as', async () => {
    const { node, agent } = await withALeftVolume();
    node.machine.faults.when(({ verb }) => verb === 'device.read', { kind: 'hang' });
    await agent.settle();
    expect([refusalOf(agent), node.phaseOf(VOLUME)]).toEqual(['doesNotAnswer', 'Released']);
    expect(node.cluster.volume(VOLUME)?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('is told in a dry run, too', async () => {
    const node = new SimulatedNode({}, { dryRun: true });
    node.addDisk('b');
    node.machine.faults.when(({ verb }) => verb === 'device.read', { kind: 'hang' });
    const agent = await node.start();
    await agent.settle();
    expect(refusalOf(agent)).toBe('doesNotAnswer');
  });
});

describe('the volumes of the cluster', () => {
  async function toldBy({ node, agent }: { readonly node: SimulatedNode; readonly agent: SimulatedAgent }) {
    const from = node.machine.calls.length;
    await agent.round();
    const calls = node.machine.calls.slice(from).map(({ verb, argv = [] }) => [verb, ...argv].join(' '));
    return calls.flatMap((call) =>
      /^exec GET .*persistentvolumes\?/.test(call) ? ['read'] : call === 'device.open' ? ['open'] : [],
    );
  }

  it('are read twice for a wipe: when the node has nothing against it, and while the device is held', async () => {
    expect(await toldBy(await withALeftVolume())).toEqual(['open', 'read', 'open', 'open', 'read']);
  });

  it('are not read for one that the node alone can tell is in use, however often it is looked at', async () => {
    const { node, disk, agent } = await withALeftVolume();
    node.mount(disk);
    expect(await toldBy({ node, agent })).toEqual(['open']);
    await node.clock.advance(3_600_000);
    expect(await toldBy({ node, agent })).toEqual(['open']);
    expect(refusalOf(agent)).toBe('isMounted');
  });
});

describe('a device that is clean', () => {
  it('is held until its volume is there, so that nobody can come between', async () => {
    const node = new SimulatedNode();
    const disk = node.addDisk('b');
    const agent = await node.start();
    const isHeld: boolean[] = [];
    const { onCreate } = node.cluster;
    node.cluster.onCreate = (volume) => {
      isHeld.push(node.machine.isClaimed(disk));
      onCreate(volume);
    };
    expect(await agent.settle()).toBe(true);
    expect([isHeld, node.machine.isClaimed(disk)]).toEqual([[true], false]);
  });
});

describe('a device that has two paths', PATIENCE, () => {
  const withTwoPaths = async (identity: { wwid?: string }) => {
    const node = new SimulatedNode();
    const disk = node.addDisk('b', identity);
    node.link('b2', disk);
    return { node, disk, agent: await node.start() };
  };

  it.each([
    ['with a name', {}],
    ['without a name', { wwid: '' }],
  ])('%s becomes one volume, however long any call takes', async (_, identity) => {
    const calls = await callsOf(await withTwoPaths(identity));
    for (let call = 1; call <= calls; call++) {
      const { node, agent } = await withTwoPaths(identity);
      node.machine.faults.at(node.machine.faults.calls + call, { kind: 'delay', ms: 120_000 });
      await agent.settle();
      expect(node.violations, `when call ${call} takes long`).toEqual([]);
      expect(node.cluster.volumes).toHaveLength(1);
    }
  });

  it('is not wiped for the other path while somebody has it by the one', async () => {
    const { node, disk, agent } = await withTwoPaths({});
    await agent.settle();
    const [volume] = node.cluster.volumes;
    const name = volume?.metadata.name ?? '';
    node.bind(name);
    await agent.settle();
    expect(refusalOf(agent, name === VOLUME ? volumeAt('b2') : VOLUME)).toBe('deviceHasAVolume');
    node.cluster.vanish(name);
    await agent.settle();
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
  });
});

describe('a finalizer of ours that was left behind', () => {
  it('on a volume that somebody has is taken off', async () => {
    const { node, disk, agent } = await withATenant();
    node.cluster.change(VOLUME, (volume) => ({
      ...volume,
      metadata: { ...volume.metadata, finalizers: [WIPE_FINALIZER] },
    }));
    expect(await agent.settle()).toBe(true);
    expect(node.cluster.volume(VOLUME)?.metadata.finalizers).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
  });

  it('on a volume that a person deletes while somebody has it is taken off, and the device is not wiped', async () => {
    const { node, disk, agent } = await withATenant();
    node.cluster.change(VOLUME, (volume) => ({
      ...volume,
      metadata: { ...volume.metadata, finalizers: [WIPE_FINALIZER] },
    }));
    node.cluster.remove(VOLUME);
    expect(await agent.settle()).toBe(true);
    expect(node.cluster.volumes).toEqual([]);
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
    expect(refusalOf(agent)).toBe('ownerWasNotSeenToLeave');
  });
});

describe('a volume that is being deleted', () => {
  /** Its device is half wiped, and the process has ended. */
  async function withAHalfWipedDevice() {
    const { node, disk, agent } = await withALeftVolume();
    const round = agent.begin();
    await node.clock.advance(6_500);
    agent.stop();
    await node.drive(round);
    agent.kill();
    node.unplug(disk);
    expect(node.cluster.volume(VOLUME)?.metadata.finalizers).toEqual([WIPE_FINALIZER]);
    return { node, disk };
  }

  it('is let go when another device is at its path, which becomes a volume; its own is wiped when it is back', async () => {
    const { node, disk } = await withAHalfWipedDevice();
    const other = node.addDisk('b', { name: 'sd-other', wwid: 'naa.other' });
    const agent = await node.start();
    expect(await agent.settle()).toBe(true);
    expect([node.diskOf(VOLUME), node.phaseOf(VOLUME)]).toEqual([other, 'Available']);
    expect(node.ledger.devices.get('wwid:naa.b')?.wipe?.doneBytes).toBeGreaterThan(0);
    node.plugIn(disk, 'c');
    expect(await agent.settle()).toBe(true);
    expect([node.diskOf(volumeAt('c')), node.isClean(disk)]).toEqual([disk, true]);
    expect(node.violations).toEqual([]);
  });

  it('is let go when the other device at its path is in use, which is left alone', async () => {
    const { node } = await withAHalfWipedDevice();
    const other = node.addDisk('b', { name: 'sd-other', wwid: 'naa.other' });
    node.putForeignData(other);
    node.mount(other);
    const agent = await node.start();
    expect(await agent.settle()).toBe(true);
    expect(node.cluster.volumes).toEqual([]);
    expect([refusalOf(agent), node.isIntact(other)]).toEqual(['isMounted', true]);
    expect(node.violations).toEqual([]);
  });

  it('is let go when there is a file at its path', async () => {
    const { node } = await withAHalfWipedDevice();
    node.machine.tree.write(`${DEVICE_DIR}/b`, 'no device');
    const agent = await node.start();
    await agent.settle();
    expect(node.cluster.volumes).toEqual([]);
    expect(node.violations).toEqual([]);
  });

  it('is let go when its device is not in the device directory any more, and that is wiped when it is again', async () => {
    const { node, disk } = await withAHalfWipedDevice();
    node.plugIn(disk, 'b');
    node.machine.tree.mkdir('/dev/others');
    node.configure({ deviceDir: '/dev/others' });
    const agent = await node.start();
    const from = node.machine.journal.length;
    await agent.settle(4);
    expect(node.cluster.volumes).toEqual([]);
    expect(node.machine.journal.slice(from).filter(({ verb }) => verb === 'device.write')).toEqual([]);
    expect(node.events.map(({ reason }) => reason)).toContain('DeviceIsOutsideTheDeviceDirectory');
    expect(node.ledger.devices.get('wwid:naa.b')).toMatchObject({ volume: { phase: 'Released' }, wipe: {} });
    node.configure({});
    expect(await agent.settle()).toBe(true);
    expect([node.phaseOf(VOLUME), node.isClean(disk), node.violations]).toEqual(['Available', true, []]);
  });

  it('stays as long as its own device is in use', async () => {
    const { node, disk } = await withAHalfWipedDevice();
    node.plugIn(disk, 'b');
    node.mount(disk);
    const agent = await node.start();
    await agent.settle();
    expect([refusalOf(agent), node.phaseOf(VOLUME)]).toEqual(['isMounted', 'Released']);
    node.unmount(disk);
    expect(await agent.settle()).toBe(true);
    expect(node.phaseOf(VOLUME)).toBe('Available');
    expect(node.violations).toEqual([]);
  });
});

describe('a wipe that is stopped', () => {
  it('goes on after the next start where it was, and does not begin again', async () => {
    const { node, agent } = await withALeftVolume();
    const round = agent.begin();
    await node.clock.advance(6_500);
    const before = written(node);
    expect(before.length).toBeGreaterThan(2);
    agent.stop();
    await node.drive(round);
    expect(node.phaseOf(VOLUME)).toBe('Released');
    expect(node.cluster.volume(VOLUME)?.metadata.finalizers).toEqual([WIPE_FINALIZER]);
    agent.kill();
    const from = node.machine.journal.length;
    const next = await node.start();
    expect(await next.settle()).toBe(true);
    const after = written(node, from);
    expect(Math.min(...after)).toBeGreaterThan(0);
    expect(new Set([...before, ...after])).toEqual(new Set([0, 4096, 8192, 12288, 16384]));
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });

  it('lets go of the device, so that the next process can hold it', async () => {
    const { node, agent } = await withALeftVolume();
    const round = agent.begin();
    await node.clock.advance(3_000);
    expect([...agent.host.descriptors]).not.toEqual([]);
    agent.stop();
    await node.drive(round);
    expect([...agent.host.descriptors]).toEqual([]);
  });

  const written = (node: SimulatedNode, from = 0): readonly number[] => {
    const lastBound = node.machine.journal.findLastIndex(({ argv }) => argv?.[0] === 'DELETE');
    const operations = node.machine.journal.slice(Math.max(from, lastBound));
    return operations.flatMap(({ verb, position = 0 }) => (verb === 'device.write' ? [position] : []));
  };
});

describe('a volume that is asked for no more when its device is wiped', () => {
  /** The wipe of a new device is under way. */
  async function whileWiping() {
    const node = new SimulatedNode();
    node.addDisk('b');
    const agent = await node.start();
    const round = agent.begin();
    await node.clock.advance(3_000);
    expect(written(node).length).toBeGreaterThan(0);
    return { node, agent, round };
  }

  it.each<[string, (node: SimulatedNode) => void, (node: SimulatedNode) => void]>([
    ['by the filter', (node) => node.configure({ deviceNameFilter: '^x' }), (node) => node.configure({})],
    ['by the Node', (node) => node.annotate({ [CONFIG_ANNOTATION]: '' }), (node) => node.annotate({})],
  ])('%s is not made, and its device need not be wiped again when it is', async (_, change, back) => {
    const { node, agent, round } = await whileWiping();
    change(node);
    agent.refresh();
    await node.drive(round);
    expect(await agent.settle()).toBe(true);
    expect(node.cluster.volumes).toEqual([]);
    expect([...node.ledger.devices.values()]).toMatchObject([{ clean: { receipt: { bytes: DISK_BYTES } } }]);
    const before = written(node).length;
    back(node);
    expect(await agent.settle()).toBe(true);
    expect(node.phaseOf(VOLUME)).toBe('Available');
    expect(written(node)).toHaveLength(before);
    expect(node.violations).toEqual([]);
  });

  it('in the same words is made as it is asked for, and the Node that there is by then owns it', async () => {
    const { node, agent, round } = await whileWiping();
    const [own] = node.cluster.all('nodes');
    node.cluster.put('nodes', { metadata: { ...own?.metadata, uid: 'of-the-next-node' } });
    agent.refresh();
    await node.drive(round);
    expect(node.cluster.volume(VOLUME)?.metadata.ownerReferences).toMatchObject([{ uid: 'of-the-next-node' }]);
  });

  const written = ({ machine }: SimulatedNode) => machine.journal.filter(({ verb }) => verb === 'device.write');
});

describe('a device that is in use when its volume is released', () => {
  it.each<[string, 'isMounted' | 'isOpen', (node: SimulatedNode) => () => void]>([
    ['mounted', 'isMounted', mounted],
    ['open in a process', 'isOpen', opened],
  ])('because it is %s is wiped when that is over, and not before', async (_, fact, use) => {
    const { node, disk, agent } = await withALeftVolume();
    const end = use(node);
    expect(await agent.settle()).toBe(true);
    expect(refusalOf(agent)).toBe(fact);
    expect(node.isIntact(disk)).toBe(true);
    expect(node.phaseOf(VOLUME)).toBe('Released');
    expect(node.cluster.volume(VOLUME)?.metadata.annotations?.['holdfast.dev/device-trouble']).toContain(fact);
    expect(node.apiWrites).toHaveLength(2);
    end();
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });

  function mounted(node: SimulatedNode) {
    const disk = node.diskOf(VOLUME);
    if (!disk) throw new Error('there is none');
    node.mount(disk);
    return () => node.unmount(disk);
  }

  function opened(node: SimulatedNode) {
    const device = node.diskOf(VOLUME)?.number ?? '0:0';
    node.machine.strangers.push({ pid: 7, command: 'dd', fd: 3, device });
    return () => void node.machine.strangers.pop();
  }
});

describe('a volume that is not ours', () => {
  it.each<[string, { label?: string; path?: string }]>([
    ['of another node', { label: 'n2' }],
    ['whose path is not in the device directory', { path: '/dev/sd-b' }],
    ['whose path leads out of the device directory', { path: `${DEVICE_DIR}/../sd-b` }],
  ])('%s is neither wiped nor deleted when it is released', async (_, { label = 'n1', path = `${DEVICE_DIR}/b` }) => {
    const { node, disk, agent } = await withATenant();
    node.cluster.change(VOLUME, ({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: { ...metadata.labels, 'local-pv-provisioner.cybozu.com/node': label } },
      spec: { ...spec, local: { path } },
      status: { phase: 'Released' },
    }));
    await agent.settle();
    expect(node.isIntact(disk)).toBe(true);
    expect(node.phaseOf(VOLUME)).toBe('Released');
  });
});

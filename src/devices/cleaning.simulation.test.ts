import { describe, expect, it } from 'vitest';
import { FileError } from '../kit/host/file-error.ts';
import type { RefusalFact } from './refusals.ts';
import type { SimulatedAgent } from './simulated-agent.ts';
import { DEVICE_DIR, DISK_BYTES, LEDGER, SimulatedNode, volumeAt } from './simulated-node.ts';

const VOLUME = volumeAt('b');
const UNNAMED = { wwid: '' };

async function withAVolume(
  identity: { wwid?: string; serial?: string } = {},
  config: Readonly<Record<string, string>> = {},
) {
  const node = new SimulatedNode(config);
  const disk = node.addDisk('b', identity);
  const agent = await node.start();
  expect(await agent.settle()).toBe(true);
  expect(node.phaseOf(VOLUME)).toBe('Available');
  return { node, disk, agent };
}

/** Somebody has the volume, as the agent has seen. */
async function withATenant(
  identity: { wwid?: string; serial?: string } = {},
  config: Readonly<Record<string, string>> = {},
) {
  const world = await withAVolume(identity, config);
  world.node.bind(VOLUME);
  expect(await world.agent.settle()).toBe(true);
  return world;
}

/** The next process. */
async function restarted(node: SimulatedNode, agent: SimulatedAgent): Promise<SimulatedAgent> {
  agent.kill();
  const next = await node.start();
  expect(await next.settle()).toBe(true);
  return next;
}

const refusalOf = (agent: SimulatedAgent, volume = VOLUME) => {
  const state = agent.standings.get(volume)?.state;
  return state?.is === 'refused' ? state.fact : state?.is;
};

function expectHeld({ node, disk, agent }: Awaited<ReturnType<typeof withATenant>>, fact: string): void {
  expect(node.violations).toEqual([]);
  expect(refusalOf(agent)).toBe(fact);
  expect(node.isIntact(disk)).toBe(true);
}

describe('a volume that vanishes while somebody has it', () => {
  it('leaves its device held for a person, also after a restart and a reboot', async () => {
    const world = await withATenant();
    const { node } = world;
    node.cluster.vanish(VOLUME);
    await world.agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
    world.agent = await restarted(node, world.agent);
    expectHeld(world, 'ownerWasNotSeenToLeave');
    node.reboot();
    world.agent = await restarted(node, world.agent);
    expectHeld(world, 'ownerWasNotSeenToLeave');
    expect(node.cluster.volumes).toEqual([]);
  });

  it('is lifted by an approval once, and only once', async () => {
    const world = await withATenant();
    const { node, disk, agent } = world;
    node.cluster.vanish(VOLUME);
    await agent.settle();
    node.approve(disk, ['ownerWasNotSeenToLeave']);
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
    expect(node.events.filter(({ reason }) => reason === 'DeviceApproved' || /pprov/.test(reason))).toHaveLength(1);

    node.bind(VOLUME);
    await agent.settle();
    node.cluster.vanish(VOLUME);
    await agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
    world.agent = await restarted(node, agent);
    expectHeld(world, 'ownerWasNotSeenToLeave');
  });

  it('is not lifted by an approval of another device', async () => {
    const world = await withATenant();
    const other = world.node.addDisk('c');
    world.node.cluster.vanish(VOLUME);
    await world.agent.settle();
    world.node.approve(other, ['ownerWasNotSeenToLeave']);
    await world.agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
  });

  it('is wiped for the next one when we have seen that its owner left it', async () => {
    const { node, disk, agent } = await withATenant();
    node.mount(disk);
    node.release(VOLUME);
    await agent.settle();
    node.cluster.remove(VOLUME);
    node.unmount(disk);
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('an approval', () => {
  it('does not lift another fact than the one that it was given for', async () => {
    const world = await withATenant();
    const { node, disk, agent } = world;
    node.cluster.vanish(VOLUME);
    await agent.settle();
    node.approve(disk, [
      'hasForeignData',
      'belongsToAnotherCluster',
      'contentIsUnknown',
      'releaseIsOlderThanTheLedger',
    ]);
    await agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
  });

  it('that was there when the device was handed out does not count for who got it then', async () => {
    const node = new SimulatedNode();
    const disk = node.addDisk('b');
    const agent = await node.start();
    node.approve(disk, ['ownerWasNotSeenToLeave']);
    await agent.settle();
    node.bind(VOLUME);
    await agent.settle();
    node.cluster.vanish(VOLUME);
    await agent.settle();
    expectHeld({ node, disk, agent }, 'ownerWasNotSeenToLeave');
  });

  it('is used up before the first byte is written', async () => {
    const { node, disk, agent } = await withATenant();
    node.cluster.vanish(VOLUME);
    await agent.settle();
    node.approve(disk, ['ownerWasNotSeenToLeave']);
    node.machine.faults.when(({ verb }) => verb === 'device.write', { kind: 'crash-before' });
    await agent.settle();
    expect(node.isIntact(disk)).toBe(true);
    expect(node.ledger.usedApprovals.size).toBe(1);
  });

  it('from before the ledger was begun does not count', async () => {
    const node = new SimulatedNode();
    const disk = node.addDisk('b');
    node.putForeignData(disk);
    node.approve(disk, ['hasForeignData']);
    await node.clock.advance(1_000);
    const agent = await node.start();
    await agent.settle();
    expectHeld({ node, disk, agent }, 'hasForeignData');
    node.approve(disk, ['hasForeignData']);
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('a volume that is used and vanishes while nobody looks', () => {
  const unseen = async (identity: { wwid?: string }, config: Readonly<Record<string, string>> = {}) => {
    const world = await withAVolume(identity, config);
    world.agent.kill();
    expect(world.node.bind(VOLUME, { isRaw: true })).toBe(true);
    world.node.cluster.vanish(VOLUME);
    return world;
  };

  it.each([
    ['has a name', {}],
    ['has none', UNNAMED],
  ])('leaves raw data on a device that %s to a person', async (_, identity) => {
    const world = await unseen(identity);
    world.agent = await restarted(world.node, world.agent);
    expectHeld(world, 'hasForeignData');
    world.node.approve(world.disk, ['hasForeignData']);
    expect(await world.agent.settle()).toBe(true);
    expect(world.node.violations).toEqual([]);
    expect(world.node.phaseOf(VOLUME)).toBe('Available');
  });

  it('is made again where existing data may be wiped', async () => {
    const { node, agent } = await unseen({}, { wipeExisting: 'true' });
    await restarted(node, agent);
    expect(node.violations.filter((one) => one.includes('not clean'))).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('a volume that nobody has used', () => {
  it.each(['zero-head', 'random-all'])('is made again after it was deleted (%s)', async (wipeMethod) => {
    const { node, agent } = await withAVolume({}, { wipeMethod });
    node.cluster.vanish(VOLUME);
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('a ledger that is lost', () => {
  type World = Awaited<ReturnType<typeof withATenant>>;

  /** The next process finds none, and whatever has become of the volume while there was no process. */
  async function withoutLedger(world: World, meanwhile = (_node: SimulatedNode) => {}): Promise<void> {
    world.agent.kill();
    world.node.loseLedger();
    await startedAfter(world, meanwhile);
  }

  async function startedAfter(world: World, meanwhile: (node: SimulatedNode) => void): Promise<void> {
    meanwhile(world.node);
    world.agent = await world.node.start();
    expect(await world.agent.settle()).toBe(true);
  }

  async function expectRecycled({ node, agent }: World): Promise<void> {
    node.release(VOLUME);
    expect(await agent.settle()).toBe(true);
    expectAvailable(node);
  }

  function expectAvailable(node: SimulatedNode): void {
    expect([node.phaseOf(VOLUME), node.violations]).toEqual(['Available', []]);
  }

  it('is begun anew with the volumes that are there, and they are recycled when they are released', async () => {
    const world = await withATenant();
    await withoutLedger(world);
    await expectRecycled(world);
  });

  it('leaves a volume that was released meanwhile alone when what is on its device is not its own', async () => {
    const world = await withATenant({}, { volumeMode: 'Filesystem', fsType: 'xfs' });
    await withoutLedger(world, (node) => node.release(VOLUME));
    expectHeld(world, 'hasForeignData');
    expect(world.node.phaseOf(VOLUME)).toBe('Released');
  });

  it('lets a volume that was released meanwhile be recycled when what is on its device is its own', async () => {
    const world = await withATenant({}, { volumeMode: 'Filesystem', fsType: 'ext4' });
    await withoutLedger(world, (node) => node.release(VOLUME));
    expectAvailable(world.node);
  });

  it('leaves the device of a volume that has vanished, too, alone', async () => {
    const world = await withATenant();
    await withoutLedger(world, (node) => node.cluster.vanish(VOLUME));
    expectHeld(world, 'hasForeignData');
  });

  it('because it cannot be understood is put aside, and all goes on as if there were none', async () => {
    const world = await withATenant();
    world.agent.kill();
    await startedAfter(world, (node) => {
      node.machine.tree.write(LEDGER, '{"version": 1, "devices": ');
      node.violations.length = 0;
    });
    await expectRecycled(world);
  });
});

describe('a volume that another program has made of the device meanwhile, as after a swap back and forth', () => {
  /** Another one of the same name, which somebody else had and has left. */
  async function withAnotherVolume() {
    const { node, disk, agent } = await withATenant();
    agent.kill();
    node.release(VOLUME);
    node.replace(VOLUME);
    const next = await node.start();
    await next.settle();
    node.release(VOLUME);
    await next.settle();
    return { node, disk, agent: next };
  }

  it('is not recycled; when it is deleted, its device is held until a person approves', async () => {
    const world = await withAnotherVolume();
    const { node, disk, agent } = world;
    expectHeld(world, 'ledgerNamesAnotherVolume');
    node.cluster.remove(VOLUME);
    await agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
    node.approve(disk, ['ownerWasNotSeenToLeave']);
    expect(await agent.settle()).toBe(true);
    expect([node.phaseOf(VOLUME), node.violations]).toEqual(['Available', []]);
  });

  it('is recycled by an agent whose ledger was moved away', async () => {
    const { node, agent } = await withAnotherVolume();
    agent.kill();
    node.loseLedger();
    const next = await node.start();
    expect(await next.settle()).toBe(true);
    expect([node.phaseOf(VOLUME), node.violations]).toEqual(['Available', []]);
  });
});

describe('a node that becomes one of another cluster', () => {
  it.each<[string, boolean, RefusalFact, RefusalFact]>([
    ['that nobody had', false, 'belongsToAnotherCluster', 'hasForeignData'],
    ['that somebody had', true, 'ownerWasNotSeenToLeave', 'belongsToAnotherCluster'],
  ])('keeps a device %s for a person, who has to approve each reason', async (_, isBound, fact, further) => {
    const world = isBound ? await withATenant() : await withAVolume();
    const { node, disk } = world;
    if (!isBound) node.putForeignData(disk);
    node.cluster.vanish(VOLUME);
    node.cluster.put('namespaces', { metadata: { name: 'kube-system', uid: 'cluster-2' } });
    world.agent = await restarted(node, world.agent);
    expectHeld(world, fact);
    for (const facts of [[fact], [further]]) {
      node.approve(disk, facts);
      await world.agent.settle();
      expect(node.isIntact(disk)).toBe(true);
    }
    /** What lifts one fact does not lift the other, and is not used up by that. */
    expect(node.ledger.usedApprovals.size).toBe(0);
    node.approve(disk, [fact, further]);
    expect(await world.agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('an etcd that is restored', () => {
  /** Released by a first claim, and bound by a second one since. */
  async function withTwoTenants() {
    const world = await withATenant();
    const { node, agent } = world;
    agent.kill();
    node.release(VOLUME);
    const restore = node.cluster.backup();
    node.cluster.unbind(VOLUME);
    node.bind(VOLUME);
    world.agent = await node.start();
    await world.agent.settle();
    return { ...world, restore };
  }

  it('to a state in which an earlier claim had released the volume does not get its device wiped', async () => {
    const world = await withTwoTenants();
    world.restore();
    await world.agent.settle();
    expectHeld(world, 'releaseIsOlderThanTheLedger');
    world.agent = await restarted(world.node, world.agent);
    expectHeld(world, 'releaseIsOlderThanTheLedger');
  });

  it('and has counted on past what we saw does not get its device wiped either', async () => {
    const world = await withTwoTenants();
    world.restore();
    for (let write = 0; write < 50; write++) world.node.annotate({ write: `${write}` });
    world.node.cluster.change(VOLUME, (volume) => volume);
    await world.agent.settle();
    expectHeld(world, 'releaseIsOlderThanTheLedger');
  });

  it('to a state in which somebody had not left the volume yet holds its device for him', async () => {
    const world = await withATenant();
    const { node, disk, agent } = world;
    node.mount(disk);
    const restore = node.cluster.backup();
    node.release(VOLUME);
    expect(await agent.settle()).toBe(true);
    restore();
    node.comeBack(VOLUME);
    node.unmount(disk);
    expect(await agent.settle()).toBe(true);
    node.cluster.vanish(VOLUME);
    await agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
  });

  it('to a state in which somebody has the volume that was there before this one holds its device for him', async () => {
    const world = await withATenant();
    const { node, disk, agent } = world;
    const restore = node.cluster.backup();
    node.release(VOLUME);
    expect(await agent.settle()).toBe(true);
    restore();
    node.putForeignData(disk, { isRaw: true });
    expect(await agent.settle()).toBe(true);
    node.cluster.vanish(VOLUME);
    await agent.settle();
    expectHeld(world, 'ownerWasNotSeenToLeave');
  });

  it('to a state in which there was no volume yet does not get its device wiped', async () => {
    const node = new SimulatedNode();
    const disk = node.addDisk('b');
    const restore = node.cluster.backup();
    const agent = await node.start();
    await agent.settle();
    node.bind(VOLUME);
    await agent.settle();
    restore();
    await agent.settle();
    expectHeld({ node, disk, agent }, 'ownerWasNotSeenToLeave');
  });
});

describe('a device without a name', () => {
  it('is not taken for the one that was at its path before a reboot', async () => {
    const { node, disk, agent } = await withAVolume(UNNAMED);
    node.cluster.remove(VOLUME);
    node.reboot();
    node.putForeignData(disk);
    const next = await restarted(node, agent);
    expectHeld({ node, disk, agent: next }, 'hasForeignData');
  });

  it("is not wiped for another path of it while its volume is somebody's", async () => {
    const { node, disk, agent } = await withATenant(UNNAMED);
    node.unlink('b');
    node.link('x', disk);
    await agent.settle();
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
    expect(node.cluster.volumes).toHaveLength(1);
  });

  it.each([
    ['while its volume is there', false],
    ['after its volume has vanished', true],
  ])('is not wiped for another path of it %s, even if nobody can tell what is on it', async (_, vanishes) => {
    const { node, disk, agent } = await withAnUnreadableTenant();
    if (vanishes) node.cluster.vanish(VOLUME);
    node.unlink('b');
    node.link('x', disk);
    await agent.settle();
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
    expect(refusalOf(agent, volumeAt('x'))).toBe('ownerWasNotSeenToLeave');
    node.approve(disk, ['ownerWasNotSeenToLeave'], `${DEVICE_DIR}/x`);
    node.cluster.vanish(VOLUME);
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(volumeAt('x'))).toBe('Available');
  });

  it('that was clean at one path is not taken to be that after somebody had it at another', async () => {
    const { node, disk, agent } = await withATenant(UNNAMED);
    node.release(VOLUME);
    /** It is wiped and let go, and found at another path before it becomes a volume again. */
    let patches = 0;
    node.machine.faults.when(({ argv }) => argv?.[0] === 'PATCH' && ++patches === 2, { kind: 'crash-after' });
    await agent.settle();
    expect([...node.ledger.devices.values()]).toMatchObject([{ clean: {} }]);
    node.unlink('b');
    node.link('x', disk);
    const second = await node.start();
    await second.settle();
    /** While we do not look somebody has it, leaves it, and the volume is deleted. */
    second.kill();
    expect(node.bind(volumeAt('x'), { isRaw: true })).toBe(true);
    node.release(volumeAt('x'));
    node.cluster.remove(volumeAt('x'));
    node.unlink('x');
    node.link('b', disk);
    const third = await node.start();
    await third.settle();
    expectHeld({ node, disk, agent: third }, 'hasForeignData');
    node.approve(disk, ['hasForeignData']);
    expect(await third.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });

  /** His data is of no kind that is recognised. */
  async function withAnUnreadableTenant() {
    const world = await withAVolume(UNNAMED);
    world.node.bind(VOLUME, { isRaw: true });
    await world.agent.settle();
    return world;
  }
});

describe('a device of which another name is told than before', () => {
  const TOLD = {
    'a serial number': { wwid: '', serial: 's' },
    'a world wide name as well': { wwid: 'naa.b', serial: 's' },
    'a world wide name only': { wwid: 'naa.b', serial: '' },
    nothing: { wwid: '', serial: '' },
  };
  type Told = keyof typeof TOLD;
  const AT_ALL: readonly (readonly [Told, Told])[] = [
    ['a serial number', 'a world wide name as well'],
    ['a world wide name as well', 'a serial number'],
    ['a world wide name as well', 'a world wide name only'],
    ['a world wide name only', 'a world wide name as well'],
  ];
  const IN_DOUBT: readonly (readonly [Told, Told])[] = [
    ['nothing', 'a world wide name only'],
    ['nothing', 'a serial number'],
    ['a serial number', 'a world wide name only'],
    ['a world wide name only', 'a serial number'],
    ['a world wide name only', 'nothing'],
  ];

  /** The machine is started with another kernel. */
  async function toldAnew(world: Awaited<ReturnType<typeof withATenant>>, told: Told): Promise<void> {
    const { node, disk } = world;
    node.reboot();
    disk.described = { ...disk.described, ...TOLD[told] };
    world.agent = await node.start();
    await world.agent.settle();
  }

  it.each([...AT_ALL, ...IN_DOUBT])(
    'that was known by %s, and now by %s, is held for who had it when its volume is lost',
    async (before, now) => {
      const world = await withATenant(TOLD[before]);
      world.agent.kill();
      world.node.cluster.vanish(VOLUME);
      await toldAnew(world, now);
      expectHeld(world, 'ownerWasNotSeenToLeave');
      world.node.approve(world.disk, ['ownerWasNotSeenToLeave', 'hasForeignData']);
      expect(await world.agent.settle()).toBe(true);
      expect([world.node.phaseOf(VOLUME), world.node.violations]).toEqual(['Available', []]);
    },
  );

  it.each(AT_ALL)('that was known by %s, and now by %s, is recycled as the device that it is', async (before, now) => {
    const world = await withATenant(TOLD[before]);
    const { node } = world;
    world.agent.kill();
    node.release(VOLUME);
    await toldAnew(world, now);
    expect([node.phaseOf(VOLUME), node.violations]).toEqual(['Available', []]);
    expect([...node.ledger.devices.values()]).toMatchObject([{ volume: { phase: 'Available' } }]);
  });

  it.each(IN_DOUBT)('that was known by %s, and now by %s, is not recycled for its volume', async (before, now) => {
    const world = await withATenant(TOLD[before]);
    world.agent.kill();
    world.node.release(VOLUME);
    await toldAnew(world, now);
    expectHeld(world, 'isAnotherDevice');
  });

  it.each(IN_DOUBT)(
    'that was known by %s, and now by %s, is not new when something was put on it unseen',
    async (before, now) => {
      const world = await withAVolume(TOLD[before]);
      world.agent.kill();
      world.node.bind(VOLUME, { isRaw: true });
      world.node.cluster.vanish(VOLUME);
      await toldAnew(world, now);
      expectHeld(world, 'hasForeignData');
    },
  );
});

describe('partitions of a disk without a name', () => {
  async function withPartitions() {
    const node = new SimulatedNode();
    const disk = node.addDisk('whole', { ...UNNAMED, sizeBytes: 4 * DISK_BYTES });
    node.unlink('whole');
    const partition = node.addPartition('b', disk);
    const agent = await node.start();
    await agent.settle();
    return { node, disk: partition, agent, another: () => node.addPartition('c', disk) };
  }

  it('do not wait for one another', async () => {
    const { node, disk, agent, another } = await withPartitions();
    node.bind(VOLUME);
    await agent.settle();
    another();
    expect(await agent.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(volumeAt('c'))).toBe('Available');
    expect(node.isIntact(disk)).toBe(true);
  });

  it('are not forgotten when another of them is handed out', async () => {
    const world = await withPartitions();
    const { node, agent } = world;
    const other = world.another();
    await agent.settle();
    for (const volume of [VOLUME, volumeAt('c')]) expect(node.bind(volume, { isRaw: true })).toBe(true);
    await agent.settle();
    for (const volume of [VOLUME, volumeAt('c')]) node.cluster.vanish(volume);
    await agent.settle();
    node.approve(other, ['ownerWasNotSeenToLeave'], `${DEVICE_DIR}/c`);
    await agent.settle();
    expect(node.phaseOf(volumeAt('c'))).toBe('Available');
    expectHeld(world, 'ownerWasNotSeenToLeave');
  });
});

describe('a partition that begins elsewhere on its disk than it did', () => {
  it('is another one, and what is on it is not that of the last owner', async () => {
    const node = new SimulatedNode();
    const whole = node.addDisk('whole', { sizeBytes: 4 * DISK_BYTES });
    node.unlink('whole');
    const before = node.addPartition('b', whole);
    const agent = await node.start();
    await agent.settle();
    node.bind(VOLUME);
    await agent.settle();
    node.mount(before);
    node.release(VOLUME);
    await agent.settle();
    node.cluster.remove(VOLUME);
    node.unmount(before);
    const disk = node.movePartition('b', before);
    node.putForeignData(disk);
    await agent.settle();
    expectHeld({ node, disk, agent }, 'hasForeignData');
  });
});

describe('a device that comes back at another path', () => {
  it('is recognised by its name, and is not wiped', async () => {
    const { node, disk, agent } = await withATenant();
    node.unlink('b');
    node.link('x', disk);
    await agent.settle();
    expect(node.violations).toEqual([]);
    expect(node.isIntact(disk)).toBe(true);
    expect(node.cluster.volumes).toHaveLength(1);
    expect(refusalOf(agent)).toBe('deviceIsMissing');
    expect(refusalOf(agent, volumeAt('x'))).toBe('deviceHasAVolume');
    node.unlink('x');
    node.link('b', disk);
    await agent.settle();
    expect(refusalOf(agent)).toBe('bound');
  });
});

describe('a device that was wiped', () => {
  /** The volume is gone, and no other one can be made for a while. */
  async function wiped(config: Readonly<Record<string, string>> = {}) {
    const world = await withATenant({}, config);
    const { node, disk, agent } = world;
    node.release(VOLUME);
    node.machine.faults.when(({ argv }) => argv?.[0] === 'POST', { kind: 'fail', error: new Error('no') }, 3);
    const isWiped = () => [...node.ledger.devices.values()].some(({ clean }) => clean !== undefined);
    for (let round = 0; round < 5 && !(isWiped() && node.cluster.volumes.length === 0); round++) await agent.round();
    expect(node.isClean(disk)).toBe(true);
    node.violations.length = 0;
    node.machine.faults.clear();
    return world;
  }

  it.each([
    ['a filesystem', 'zero-head', false],
    ['a filesystem', 'random-all', false],
    ['raw data', 'zero-head', true],
    ['raw data', 'zero-all', true],
  ])(
    'and on which somebody has put %s before it became a volume is neither wiped nor handed out (%s)',
    async (_, wipeMethod, isRaw) => {
      const world = await wiped({ wipeMethod });
      const { node, disk, agent } = world;
      node.putForeignData(disk, { isRaw });
      await agent.settle();
      expectHeld(world, 'hasForeignData');
      expect(node.cluster.volumes).toEqual([]);
      node.approve(disk, ['hasForeignData']);
      expect(await agent.settle()).toBe(true);
      expect(node.violations).toEqual([]);
      expect(node.phaseOf(VOLUME)).toBe('Available');
    },
  );

  it.each([
    ['a filesystem', 'random-all', false],
    ['raw data', 'zero-head', true],
  ])(
    'and on which somebody has put %s is wiped again where existing data may be (%s)',
    async (_, wipeMethod, isRaw) => {
      const { node, disk, agent } = await wiped({ wipeMethod, wipeExisting: 'true' });
      node.putForeignData(disk, { isRaw });
      await agent.settle();
      expect(node.violations.filter((one) => one.includes('not clean'))).toEqual([]);
      expect(node.phaseOf(VOLUME)).toBe('Available');
    },
  );

  it('is wiped again, all of it, when it has grown', async () => {
    const { node, disk, agent } = await wiped({ wipeMethod: 'random-all' });
    disk.described = { ...disk.described, sizeBytes: 2 * DISK_BYTES };
    const from = node.machine.journal.length;
    expect(await agent.settle()).toBe(true);
    const writes = node.machine.journal.slice(from).filter(({ verb }) => verb === 'device.write');
    expect(writes.map(({ position }) => position)).toEqual(expect.arrayContaining([0, 2 * DISK_BYTES - 1024]));
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });

  it('is not wiped a second time before it becomes a volume', async () => {
    const { node, agent } = await withATenant();
    node.release(VOLUME);
    const from = node.machine.journal.length;
    expect(await agent.settle()).toBe(true);
    const writes = node.machine.journal.slice(from).filter(({ verb }) => verb === 'device.write');
    expect(writes.map(({ position }) => position)).toEqual([0, 4096, 8192, 12288, 16384]);
  });

  it.each([
    ['by another method', { wipeMethod: 'zero-all' }],
    ['with less read back', { wipeVerify: 'all' }],
  ])('%s than is asked for now is wiped again', async (_, config) => {
    const { node, agent } = await withATenant();
    node.release(VOLUME);
    node.before(1, () => node.configure(config));
    const from = node.machine.journal.length;
    expect(await agent.settle()).toBe(true);
    const writes = node.machine.journal.slice(from).filter(({ verb }) => verb === 'device.write');
    expect(writes).toHaveLength(10);
    expect(node.violations).toEqual([]);
  });

  it('is wiped again when it was out of the machine meanwhile', async () => {
    const { node, disk, agent } = await withATenant();
    node.release(VOLUME);
    node.machine.faults.when(({ argv }) => argv?.[0] === 'PATCH', { kind: 'crash-after' });
    await agent.settle();
    expect(node.ledger.devices.size).toBe(1);
    disk.described = { ...disk.described, diskSequence: '99' };
    const next = await node.start();
    expect(await next.settle()).toBe(true);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('a disk without a name', () => {
  it('is not taken for another one of the same size that has come into its place, as long as the machine is on', async () => {
    const { node, disk, agent } = await withATenant(UNNAMED);
    node.release(VOLUME);
    node.unplug(disk);
    const other = node.addDisk('b', { ...UNNAMED, name: 'sd-other', diskSequence: '8' });
    node.putForeignData(other);
    await agent.settle();
    expect([refusalOf(agent), node.isIntact(other)]).toEqual(['isAnotherDevice', true]);
    expect(node.violations).toEqual([]);
  });
});

describe('a disk of which a part of its name is told', () => {
  it('is not taken for one of ours that has the same serial number, and what is on it stays', async () => {
    const { node, disk, agent } = await withATenant({ wwid: 'naa.b', serial: 's' });
    node.mount(disk);
    node.release(VOLUME);
    await agent.settle();
    node.unplug(disk);
    node.cluster.remove(VOLUME);
    await agent.settle();
    const other = node.addDisk('c', { wwid: '', serial: 's', sizeBytes: 2 * DISK_BYTES });
    node.putForeignData(other);
    await agent.settle();
    expect([refusalOf(agent, volumeAt('c')), node.isIntact(other)]).toEqual(['hasForeignData', true]);
    expect(node.violations).toEqual([]);
  });

  const NAMES = {
    'a WWN': { wwid: 'naa.b', serial: '' },
    'a serial number': { wwid: '', serial: 's' },
    nothing: { wwid: '', serial: '' },
  };
  type Told = keyof typeof NAMES;
  it.each<[Told, Told, Told]>([
    ['a WWN', 'nothing', 'a WWN'],
    ['a WWN', 'a serial number', 'a WWN'],
    ['a serial number', 'a WWN', 'a serial number'],
    ['a serial number', 'nothing', 'a serial number'],
    ['nothing', 'a WWN', 'nothing'],
  ])('%s, then %s, then %s again, is kept for whom it was last handed out to', async (first, then, last) => {
    const world = await withATenant(NAMES[first]);
    const { node, disk } = world;
    let { agent } = world;
    const isTold = async (name: Told) => {
      agent.kill();
      node.reboot();
      disk.described = { ...disk.described, ...NAMES[name] };
      agent = await node.start();
      await agent.settle();
    };
    await isTold(then);
    node.release(VOLUME);
    await agent.settle();
    node.cluster.remove(VOLUME);
    await agent.settle();
    node.approve(disk, ['hasForeignData']);
    await agent.settle();
    node.bind(VOLUME);
    await agent.settle();
    node.cluster.vanish(VOLUME);
    await isTold(last);
    expect([node.violations, node.isIntact(disk)]).toEqual([[], true]);
  });
});

describe('a wipe that was cut off', () => {
  it.each([
    ['is gone on with where it was', DISK_BYTES, 16_384],
    ['is begun anew when the device has grown meanwhile', 2 * DISK_BYTES, 0],
  ])('%s', async (_, sizeBytes, firstWrite) => {
    const { node, disk, agent } = await withATenant();
    node.release(VOLUME);
    const round = agent.begin();
    await node.clock.advance(7_000);
    agent.kill();
    await node.drive(round).catch(() => {});
    expect([...node.ledger.devices.values()]).toMatchObject([{ wipe: { doneBytes: 16_384 } }]);
    disk.described = { ...disk.described, sizeBytes };
    const from = node.machine.journal.length;
    const next = await node.start();
    expect(await next.settle()).toBe(true);
    const writes = node.machine.journal.slice(from).filter(({ verb }) => verb === 'device.write');
    expect(writes[0]?.position).toBe(firstWrite);
    expect(node.violations).toEqual([]);
    expect(node.phaseOf(VOLUME)).toBe('Available');
  });
});

describe('a ledger whose directory is removed while the process runs', () => {
  /** A process that is about to go on with a wipe, of which nothing new has to be remembered before the next byte. */
  async function aboutToGoOn() {
    const { node, disk, agent } = await withATenant();
    node.release(VOLUME);
    const round = agent.begin();
    await node.clock.advance(6_000);
    agent.kill();
    await node.drive(round).catch(() => {});
    node.mount(disk);
    const next = await restarted(node, agent);
    node.unmount(disk);
    node.loseLedger();
    const from = node.machine.journal.length;
    const written = () => node.machine.journal.slice(from).map(({ verb }) => verb);
    return { node, disk, agent: next, written };
  }

  it('is noticed before anything is wiped, and nothing is until it can be written', async () => {
    const { node, agent, written } = await aboutToGoOn();
    const error = new FileError('write', LEDGER, 'ENOENT');
    node.machine.faults.when(({ verb }) => verb === 'file.write', { kind: 'fail', error }, Number.POSITIVE_INFINITY);
    await agent.settle(4);
    expect(written()).not.toContain('device.write');
    expect(agent.standings.get(VOLUME)?.state).toMatchObject({ is: 'failed', why: error.message });
    node.machine.faults.clear();
    expect(await agent.settle()).toBe(true);
    expect([node.phaseOf(VOLUME), node.violations]).toEqual(['Available', []]);
  });

  it('is written again, with all that is known, before anything is wiped', async () => {
    const { agent, written } = await aboutToGoOn();
    expect(await agent.settle()).toBe(true);
    const [first] = written().filter((verb) => verb === 'file.write' || verb === 'device.write');
    expect(first).toBe('file.write');
  });
});

describe('a configuration that is corrected while a device waits for its turn', () => {
  it('counts for that device', async () => {
    const node = new SimulatedNode({ wipeExisting: 'true' }, { wipesAtOnce: 1 });
    node.addDisk('a');
    const disk = node.addDisk('b');
    node.putForeignData(disk);
    const agent = await node.start();
    const round = agent.begin();
    await node.clock.advance(3_000);
    node.configure({ wipeExisting: 'false' });
    agent.refresh();
    await node.drive(round);
    await agent.settle();
    expectHeld({ node, disk, agent }, 'hasForeignData');
    expect(node.phaseOf(volumeAt('a'))).toBe('Available');
  });
});

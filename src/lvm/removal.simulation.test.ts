import { describe, expect, it } from 'vitest';
import { transportOf } from '../api/simulated-cluster.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { ADOPT_ANNOTATION, annotation, FINALIZER, type OptionKey } from './contract.ts';
import { RealMachine } from './real-machine.ts';
import { SimulatedNode } from './simulated-node.ts';
import { ownerOf } from './tags.ts';

/** For a machine that has other things to do. */
const PATIENCE = { timeout: 180_000 };
const VOLUME = 'data';
const SECRET = Buffer.from('what nobody may read any more');
const HOURS = 3_600_000;

interface Way {
  readonly kind: string;
  readonly options: Partial<Record<OptionKey, string>>;
}

const SHREDDED: readonly Way[] = [
  { kind: 'zeroes', options: { shred: 'zero' } },
  { kind: 'random bytes', options: { shred: 'random' } },
  { kind: 'a discard of a thin volume', options: { shred: 'discard', thinPool: 'pool', thinPoolSize: '80Mi' } },
  { kind: 'the loss of its keys', options: { shred: 'zero', cryptSecret: 'key' } },
];
const TRASH: Way = { kind: 'the trash', options: { removePolicy: 'trash' } };

/** A node on which a volume is ready, with something at its beginning, its middle and its end. */
async function ready({ options }: Way) {
  const node = new SimulatedNode();
  const { devices } = node.lvm;
  const make = devices.make.bind(devices);
  devices.make = (description) => {
    const mapped = make(description);
    mapped.disk.described = { ...mapped.disk.described, discardMaxBytes: 2 ** 30 };
    return mapped;
  };
  node.machine.install('blkdiscard', async ({ args, inherited: [device] }) => {
    const [start, length] = ['--offset', '--length'].map((option) => Number(args[args.indexOf(option) + 1]));
    device?.disk.zero(start ?? 0, length ?? 0);
    return {};
  });
  const discards = { report: [{ lv: [{ kernel_discards: 'passdown' }] }] };
  node.machine.install('lvs', async () => ({ stdout: JSON.stringify(discards) }), { changes: () => false });
  node.declare(VOLUME, { options });
  if (!(await node.rest())) throw new Error('it is not made');
  node.write(VOLUME);
  for (const place of places(node)) node.lv(VOLUME)?.mapped?.disk.content.write(SECRET, place);
  const unshredded = watchRemovals(node);
  return { node, unshredded };
}

function places(node: SimulatedNode): readonly number[] {
  const { sizeBytes = 0 } = node.lv(VOLUME)?.mapped?.disk ?? {};
  return [2 ** 20, sizeBytes / 2, sizeBytes - 4096];
}

/** Which logical volumes were removed with something on them that had to be shredded. */
function watchRemovals(node: SimulatedNode): readonly string[] {
  const unshredded: string[] = [];
  const judge = node.lvm.onDeed;
  const where = places(node);
  node.lvm.onDeed = (deed) => {
    if (deed.does === 'remove') {
      const { name, mapped, content, tags } = deed.volume;
      const found = Buffer.alloc(SECRET.length);
      const isLeft = where.some((place) => {
        mapped?.disk.content.read(found, place);
        return found.equals(SECRET);
      });
      const isSealed = content.signature === 'crypto_LUKS' && content.slots.every((slot) => slot === undefined);
      if (!mapped || !tags.has('holdfast.dev/shredded=true') || (isLeft && !isSealed)) unshredded.push(name);
    }
    judge(deed);
  };
  return unshredded;
}

const names = (node: SimulatedNode): readonly string[] =>
  node.lvm.volumes.filter(({ kind }) => kind !== 'thin-pool').map(({ name }) => name);

/** What is done from the deletion of the volume until nothing is left to be done. */
async function callsOfRemoval(way: Way): Promise<readonly Operation[]> {
  const { node } = await ready(way);
  const calls: Operation[] = [];
  node.machine.faults.when(
    (operation) => {
      calls.push(operation);
      return false;
    },
    { kind: 'fail' },
  );
  node.delete(VOLUME);
  expect(await node.rest()).toBe(true);
  return calls;
}

const isAPlaceToDie = ({ verb, changes }: Operation) => verb === 'exec' || changes;

/** Does it once for each place at which the agent can die while it takes the volume away. */
async function killedEverywhere(
  way: Way,
  check: (node: SimulatedNode, killed: string, unshredded: readonly string[]) => Promise<void> | void,
): Promise<number> {
  const calls = await callsOfRemoval(way);
  let places = 0;
  for (const [index, operation] of calls.entries()) {
    if (!isAPlaceToDie(operation)) continue;
    for (const kind of ['crash-before', 'crash-after'] as const) {
      const { node, unshredded } = await ready(way);
      const { faults } = node.machine;
      faults.at(faults.calls + index + 1, { kind });
      node.delete(VOLUME);
      const killed = `${kind} ${operation.argv?.join(' ') ?? `${operation.verb} ${operation.target}`}`;
      expect(await node.rest(), killed).toBe(true);
      expect(node.violations, killed).toEqual([]);
      expect(node.machine.hosts, killed).toHaveLength(2);
      await check(node, killed, unshredded);
      places += 1;
    }
  }
  return places;
}

describe('a volume that is to be shredded', PATIENCE, () => {
  it.each(SHREDDED)('by $kind goes, and nothing of it is left', async (way) => {
    const { node, unshredded } = await ready(way);
    node.delete(VOLUME);
    expect(await node.rest()).toBe(true);
    expect([names(node), node.cluster.volumes, unshredded, node.violations]).toEqual([[], [], [], []]);
  });

  it.each(SHREDDED)('by $kind never goes before it is, wherever the agent is killed', async (way) => {
    const places = await killedEverywhere(way, (node, killed, unshredded) => {
      expect([names(node), node.cluster.volumes, unshredded], killed).toEqual([[], [], []]);
    });
    expect(places).toBeGreaterThan(20);
  });

  it('in a pool that does not pass discards on stays until somebody says that it may go as it is', async () => {
    const { node } = await ready(SHREDDED[2] as Way);
    const discards = { report: [{ lv: [{ kernel_discards: 'nopassdown' }] }] };
    node.machine.install('lvs', async () => ({ stdout: JSON.stringify(discards) }), { changes: () => false });
    node.delete(VOLUME);
    await node.pass(120_000);
    expect(node.says(VOLUME, 'message')).toContain('does not pass discards on to its disks');
    expect(node.lv(VOLUME)?.tags.has('holdfast.dev/shredded=begun')).toBe(false);
    node.annotate(VOLUME, { shred: 'none' });
    expect(await node.rest()).toBe(true);
    expect([names(node), node.cluster.volumes, node.violations]).toEqual([[], [], []]);
  });

  it('is not shredded again by the agent that only has to remove it', async () => {
    const { node, unshredded } = await ready(SHREDDED[0] as Way);
    node.machine.faults.when(({ argv }) => argv?.includes('lvremove') ?? false, { kind: 'crash-before' });
    node.delete(VOLUME);
    expect(await node.rest()).toBe(true);
    const first = node.machine.journal.findIndex(({ argv }) => argv?.includes('holdfast.dev/shredded=true'));
    const later = node.machine.journal.slice(first).filter(({ verb }) => verb === 'device.write');
    expect([names(node), unshredded, later]).toEqual([[], [], []]);
  });
});

describe('a volume that goes to the trash', PATIENCE, () => {
  const inTrash = (node: SimulatedNode) =>
    node.lvm.volumes.map(({ name, tags, mapped }) => ({ name, tags: [...tags], mapped }));

  it('is there with all that is on it, wherever the agent is killed', async () => {
    const places = await killedEverywhere(TRASH, (node, killed) => {
      const [lv, ...others] = inTrash(node);
      expect([lv?.name, lv?.mapped, others], killed).toEqual([expect.stringMatching(/^trash\+data\+/), undefined, []]);
      expect(ownerOf({ tags: lv?.tags ?? [] })?.trashedAt, killed).toBeDefined();
      expect(node.lvm.volumes[0]?.content.data, killed).toBe('data 1');
      expect(node.cluster.volumes, killed).toEqual([]);
    });
    expect(places).toBeGreaterThan(20);
  });

  it('is gone when its time is over, and not before', async () => {
    const { node } = await ready(TRASH);
    node.delete(VOLUME);
    expect(await node.rest()).toBe(true);
    await node.pass(71 * HOURS);
    expect(names(node)).toHaveLength(1);
    await node.pass(2 * HOURS);
    expect([names(node), node.violations]).toEqual([[], []]);
  });

  it('has all of its time also on a node that does not know yet how late it is', async () => {
    const { node } = await ready(TRASH);
    node.kill();
    node.delete(VOLUME);
    const deletionTimestamp = new Date(node.clock.now().getTime() + 48 * HOURS).toISOString();
    node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, deletionTimestamp } }));
    expect(await node.rest()).toBe(true);
    await node.pass(118 * HOURS);
    expect(names(node)).toHaveLength(1);
    await node.pass(4 * HOURS);
    expect(names(node)).toEqual([]);
  });

  it('is gone at its time, too, when it was made before anybody knew which cluster this is', async () => {
    const { node } = await ready(TRASH);
    const { tags } = node.lvm.volumes[0] ?? { tags: new Set<string>() };
    tags.delete('holdfast.dev/cluster=cluster-1');
    tags.add('holdfast.dev/cluster=unknown');
    node.delete(VOLUME);
    await node.pass(71 * HOURS);
    expect(names(node)).toHaveLength(1);
    await node.pass(2 * HOURS);
    expect([names(node), node.violations]).toEqual([[], []]);
  });

  it('is shredded at the end, if that was asked for', async () => {
    const { node, unshredded } = await ready({ ...TRASH, options: { removePolicy: 'trash', shred: 'random' } });
    node.delete(VOLUME);
    await node.pass(73 * HOURS);
    expect([names(node), unshredded, node.violations]).toEqual([[], [], []]);
  });

  it.each(['crash-before', 'crash-after'] as const)(
    'comes back as it was for a volume that names it, whatever call ends with a %s',
    async (kind) => {
      for (let call = 1; ; call++) {
        const { node } = await ready(TRASH);
        node.delete(VOLUME);
        expect(await node.rest()).toBe(true);
        const [{ uuid = '' } = {}] = node.lvm.volumes;
        node.declare(VOLUME, { options: TRASH.options });
        node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, annotations: { ...metadata.annotations, [ADOPT_ANNOTATION]: uuid } },
        }));
        const { faults } = node.machine;
        faults.at(faults.calls + call, { kind });
        expect(await node.rest()).toBe(true);
        expect(node.says(VOLUME, 'status'), `call ${call}`).toBe('Processed');
        expect(node.contentOf(VOLUME)?.data, `call ${call}`).toBe('data 1');
        expect([names(node), node.violations], `call ${call}`).toEqual([[VOLUME], []]);
        if (node.machine.hosts.length < 2) return;
        expect(call).toBeLessThan(400);
      }
    },
  );
});

describe('a volume that is written wrongly when it is deleted', PATIENCE, () => {
  const WRONG = { mountOpts: 'noexce' };
  /** What is changed while no agent is there to tell, and then deleted. */
  async function deleted(way: Way, changes: Way['options']) {
    const made = await ready(way);
    made.node.kill();
    made.node.annotate(VOLUME, changes);
    made.node.delete(VOLUME);
    await made.node.rest();
    return made;
  }

  it('goes to the trash if it says so, whatever is wrong with the rest', async () => {
    const { node } = await deleted({ kind: '', options: {} }, { ...WRONG, removePolicy: 'trash' });
    expect(names(node)).toEqual([expect.stringMatching(/^trash\+data\+/)]);
    expect([node.cluster.volumes, node.violations]).toEqual([[], []]);
  });

  it('is shredded if it says so, whatever is wrong with the rest', async () => {
    const { node, unshredded } = await deleted({ kind: '', options: {} }, { ...WRONG, shred: 'zero' });
    expect([names(node), node.cluster.volumes, unshredded, node.violations]).toEqual([[], [], [], []]);
  });

  it('goes as its marks say where it does not say so any more itself', async () => {
    const { node } = await ready(TRASH);
    node.kill();
    node.annotate(VOLUME, WRONG);
    node.cluster.change(VOLUME, ({ metadata, ...rest }) => {
      const { [annotation('removePolicy')]: _, ...annotations } = metadata.annotations ?? {};
      return { ...rest, metadata: { ...metadata, annotations } };
    });
    node.delete(VOLUME);
    await node.rest();
    expect(names(node)).toEqual([expect.stringMatching(/^trash\+data\+/)]);
  });

  it.each<[string, Way, Way['options'], Way['options']]>([
    ['removePolicy', TRASH, { removePolicy: 'Trash' }, { removePolicy: 'trash' }],
    ['shred', { kind: '', options: {} }, { shred: 'zeros' }, { shred: 'none' }],
    ['shred', SHREDDED[2] as Way, { shred: 'zero' }, { shred: 'discard' }],
  ])('stays as it is until its %s can be read and followed', async (key, way, wrong, right) => {
    const { node, unshredded } = await deleted(way, wrong);
    expect(names(node)).toEqual([VOLUME]);
    expect(node.contentOf(VOLUME)?.data).toBe('data 1');
    expect(node.says(VOLUME, 'message')).toContain(`${key} cannot be "${wrong[key as OptionKey]}"`);
    node.annotate(VOLUME, right);
    expect(await node.rest()).toBe(true);
    expect([names(node).filter((name) => name === VOLUME), node.cluster.volumes, node.violations]).toEqual([
      [],
      [],
      [],
    ]);
    if (right.shred === 'discard') expect(unshredded).toEqual([]);
  });

  it('is let go of when nothing was ever made for it', async () => {
    const node = new SimulatedNode();
    node.declare(VOLUME, { options: { removePolicy: 'Trash', shred: 'zeros' } });
    node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: [FINALIZER] },
    }));
    node.cluster.remove(VOLUME);
    await node.rest();
    expect(node.cluster.volume(VOLUME)).toBeUndefined();
  });
});

it('a volume whose logical volume has lost its marks is not said to be gone', async () => {
  const node = new SimulatedNode();
  node.declare(VOLUME);
  await node.rest();
  node.lv(VOLUME)?.tags.clear();
  node.kill();
  node.delete(VOLUME);
  await node.rest();
  expect(node.cluster.volume(VOLUME)?.metadata.finalizers).toEqual([FINALIZER]);
  expect(node.says(VOLUME, 'message')).toContain('marksContradict');
});

describe('a volume of which nothing is here', () => {
  it('is not forgotten when another node has made it', async () => {
    const node = new SimulatedNode();
    node.declare(VOLUME);
    node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: {
        ...metadata,
        finalizers: [FINALIZER],
        annotations: { [annotation('node')]: 'the-one-before', [annotation('vg')]: 'storage_bulk' },
      },
    }));
    node.cluster.remove(VOLUME);
    await node.rest();
    expect(node.cluster.volume(VOLUME)?.metadata.finalizers).toEqual([FINALIZER]);
    expect(node.says(VOLUME, 'message')).toContain('the-one-before');
  });

  it('goes without anything being touched at a path that was never ours', async () => {
    const node = new SimulatedNode();
    node.machine.tree.mkdir('/srv/empty');
    node.declare(VOLUME);
    node.cluster.change(VOLUME, ({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: [FINALIZER] },
      spec: { ...spec, local: { path: '/srv/empty' } },
    }));
    node.cluster.remove(VOLUME);
    await node.rest();
    expect(node.cluster.volume(VOLUME)).toBeUndefined();
    expect(node.machine.tree.list('/srv')).toEqual(['empty']);
    expect(node.commandsSince(0).map(([program]) => program)).not.toContain('chattr');
  });
});

describe('the directory of a volume that is gone', () => {
  const realMachine = ({ machine, clock, cluster }: SimulatedNode): RealMachine => {
    const host = machine.host();
    const log = new RecordingLog();
    const client = new KubeClient({ transport: transportOf(host, cluster), clock, random: () => 0.5 });
    return new RealMachine({ host, viewpoint: { root: '' }, clock, log, client, cluster: 'c', saw: () => {} });
  };

  it('stays with an empty lost+found in it, which may be all that a filesystem shows of itself', async () => {
    const node = new SimulatedNode();
    const { tree } = node.machine;
    tree.mkdir('/mnt/pv/old/lost+found');
    expect(await realMachine(node).removeMountPoint('/mnt/pv/old')).toBe(false);
    expect(tree.list('/mnt/pv/old')).toEqual(['lost+found']);
    expect(node.machine.journal).toEqual([]);
  });

  it('is left alone, and so is its unit, when something is mounted there by now', async () => {
    const node = new SimulatedNode();
    const { machine, fileSystems, clock } = node;
    const path = '/mnt/pv/taken';
    machine.tree.mkdir(path);
    const real = realMachine(node);
    fileSystems.mountForeign(path);
    await expect(real.removeMountPoint(path)).rejects.toThrow('somebody is mounted at /mnt/pv/taken by now');
    expect(machine.journal).toEqual([]);
    fileSystems.unmount(path);
    const removed = real.removeMountPoint(path);
    await clock.advance(1_000);
    await removed;
    expect(machine.tree.list('/mnt/pv')).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { PODS } from '../api/pods.ts';
import { type JournalEntry, refusal } from '../kit/kube/fake-transport.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { at, claimObject, nodeObject, podObject, volumeObject } from './builders.ts';
import { FIELD_MANAGER, type Policy, SOURCE_ANNOTATION, TOPOLOGY_LABELS, ZONE } from './contract.ts';
import { managedBy, SimulatedCluster } from './simulated-cluster.ts';

/** Nodes in two zones, and one volume that is bound and not used yet. */
function cluster(labels = {}): SimulatedCluster {
  const made = new SimulatedCluster();
  made.put(NODES, nodeObject('node-a', at('a', 'r')));
  made.put(NODES, nodeObject('node-b', at('b', 'r')));
  made.put(NODES, nodeObject('node-bare', {}));
  made.put(PERSISTENT_VOLUMES, volumeObject('pv-1', 'data', labels));
  made.put(PERSISTENT_VOLUME_CLAIMS, claimObject('data', 'pv-1'));
  return made;
}

function setLabel(world: SimulatedCluster, value: string | undefined): void {
  const volume = world.get(PERSISTENT_VOLUMES, 'pv-1');
  if (!volume) throw new Error('pv-1 is gone');
  const { [ZONE]: _, ...others } = volume.metadata.labels ?? {};
  const labels = value === undefined ? others : { ...others, [ZONE]: value };
  const managedFields = managedBy('rival', [ZONE], volume);
  world.put(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, labels, managedFields } });
}

const figure = async (world: SimulatedCluster, metric: string): Promise<string | undefined> =>
  (await world.metrics.page())
    .split('\n')
    .find((line) => line.startsWith(metric))
    ?.split(' ')
    .at(-1);

describe('one write', () => {
  test('labels a volume: a patch of what was looked at, with nothing but our labels, in our name', async () => {
    const world = cluster({ team: 'web' });
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    const { uid, resourceVersion } = world.get(PERSISTENT_VOLUMES, 'pv-1')?.metadata ?? {};
    world.start();
    await world.settle();
    expect(world.patches).toEqual([{ metadata: { uid, resourceVersion, labels: at('a', 'r') } }]);
    expect(world.transport.journal[0]?.query.get('fieldManager')).toBe(FIELD_MANAGER);
    expect(world.labelsOf('pv-1')).toEqual({ team: 'web', ...at('a', 'r') });
  });

  test('never replaces a label unseen that somebody has written since the look', async () => {
    const world = cluster();
    const raced = (entry: JournalEntry) => {
      setLabel(world, 'moon');
      return world.carryOut(entry);
    };
    world.transport.on('PATCH', /persistentvolumes/, raced, world.carryOut);
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    expect(world.events).toEqual(['TopologyReplaced']);
  });

  describe('whose answer is lost', () => {
    const lost = new ConnectionError('reset', { mayHaveHappened: true });

    /** The first patch is carried out, and nobody hears of it before `meanwhile` has happened. */
    function losingTheFirst(world: SimulatedCluster, meanwhile: () => void = () => {}): void {
      const carriedOut = (entry: JournalEntry) => {
        world.carryOut(entry);
        meanwhile();
        return lost;
      };
      world.transport.on('PATCH', /persistentvolumes/, carriedOut, world.carryOut);
      world.put(PODS, podObject('web-0', 'data', 'node-a'));
      world.start();
    }

    test('is told of once the caches show that it happened, and not carried out again', async () => {
      const world = cluster(at('moon'));
      let carriedOut = 0;
      world.onPatch = () => carriedOut++;
      losingTheFirst(world);
      await world.settle();
      expect(carriedOut).toBe(1);
      expect(world.events).toEqual(['TopologyReplaced']);
      expect(await figure(world, 'holdfast_topology_writes_total{result="written"}')).toBe('1');
    });

    test('is sent again only if nothing has changed, as long as the caches show nothing', async () => {
      const world = cluster();
      losingTheFirst(world);
      await world.clock.advance(5_000);
      expect(world.patches.length).toBeGreaterThan(1);
      expect(world.patchesForNothing).toEqual([]);
      await world.settle();
      expect(await figure(world, 'holdfast_topology_writes_total{result="written"}')).toBe('1');
    });

    test('is not forgotten while the caches are as old as it, whatever its pods do', async () => {
      const world = cluster();
      losingTheFirst(world, () => setLabel(world, 'moon'));
      await world.clock.advance(0);
      world.loseEvents();
      world.put(PODS, podObject('web-0', 'data', 'node-a', false));
      world.hear();
      await world.clock.advance(1_000);
      world.put(PODS, podObject('web-0', 'data', 'node-a'));
      world.hear();
      await world.clock.advance(30_000);
      expect(world.labelsOf('pv-1')).toMatchObject(at('moon'));
      world.readAnew();
      await world.settle();
      expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
      expect(world.events).toEqual(['TopologyReplaced']);
    });

    test('is told of, also when nothing is to be written any more', async () => {
      const world = cluster(at('moon'));
      losingTheFirst(world);
      await world.clock.advance(0);
      world.loseEvents();
      world.remove(PODS, 'default/web-0');
      world.hear();
      await world.clock.advance(1_000);
      world.readAnew();
      await world.settle();
      expect(world.events).toEqual(['TopologyReplaced']);
    });

    test('is not said to have happened when it has not: a node affinity that is not there', async () => {
      const world = cluster();
      const volume = volumeObject('pv-1', 'data', at('a', 'r'));
      world.put(PERSISTENT_VOLUMES, { ...volume, spec: { ...volume.spec, accessModes: ['ReadWriteOnce'] } });
      world.put(PODS, podObject('web-0', 'data', 'node-a'));
      world.transport.on('PATCH', /persistentvolumes/, refusal(503, 'ServiceUnavailable', 'later'));
      world.start({ nodeAffinity: true });
      await world.clock.advance(1_000);
      world.remove(PODS, 'default/web-0');
      await world.settle();
      expect(world.patches.length).toBeGreaterThan(0);
      expect(await figure(world, 'holdfast_topology_writes_total{result="written"}')).toBe('0');
    });

    test('does not silently undo what somebody wrote after it', async () => {
      const world = cluster();
      losingTheFirst(world, () => setLabel(world, 'moon'));
      await world.settle();
      expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
      expect(world.events).toEqual(['TopologyReplaced']);
    });
  });

  test('is not sent a second time while the caches have not heard of the first', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.clock.advance(100);
    world.loseEvents();
    world.put(PODS, podObject('web-1', 'data', 'node-a'));
    world.hear();
    await world.clock.advance(9_000);
    expect(world.patches).toHaveLength(1);
  });

  test('is enough: looking at everything again every hour asks the server nothing', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    const requests = world.transport.journal.length;
    await world.clock.advance(24 * 3_600_000);
    expect(world.transport.journal).toHaveLength(requests);
  });

  test('that somebody undid before we saw it is noticed all the same', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start({}, { resyncMs: 0 });
    await world.clock.advance(100);
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    world.put(PERSISTENT_VOLUMES, { ...volumeObject('pv-1', 'data') });
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
  });

  test('never goes to a volume that was made anew under the same name', async () => {
    const world = cluster();
    world.start();
    const before = world.get(PERSISTENT_VOLUMES, 'pv-1')?.metadata.uid;
    world.remove(PERSISTENT_VOLUMES, 'pv-1');
    world.put(PERSISTENT_VOLUMES, volumeObject('pv-1', 'other-claim'));
    world.loseEvents();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.hear();
    await world.clock.advance(100);
    expect(world.patches[0]?.metadata.uid).toBe(before);
    expect(world.labelsOf('pv-1')).toEqual({});
  });

  test('replaces a value only where that is still what we saw', async () => {
    const world = cluster(at('x'));
    world.start();
    setLabel(world, 'y');
    world.loseEvents();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.hear();
    await world.clock.advance(50);
    expect(world.labelsOf('pv-1')).toEqual(at('y'));
    world.readAnew();
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
  });

  test('to a volume that is gone by now is no failure', async () => {
    const world = cluster();
    world.start();
    await world.settle();
    world.remove(PERSISTENT_VOLUMES, 'pv-1');
    world.loseEvents();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.hear();
    await world.clock.advance(60_000);
    expect(world.patches).toHaveLength(1);
    expect(await figure(world, 'holdfast_topology_writes_total{result="gone"}')).toBe('1');
  });
});

describe('a claim of the same name', () => {
  test('that is another claim by now does not lend its pods to the volume', async () => {
    const world = cluster();
    world.remove(PERSISTENT_VOLUME_CLAIMS, 'default/data');
    world.put(PERSISTENT_VOLUME_CLAIMS, claimObject('data', 'pv-1', 'another-uid'));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    expect(world.patches).toEqual([]);
  });

  test('that has another volume does not, either', async () => {
    const world = cluster();
    world.put(PERSISTENT_VOLUME_CLAIMS, claimObject('data', 'pv-2'));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    expect(world.patches).toEqual([]);
  });
});

describe('when something fails', () => {
  test.each([
    ['the connection breaks', new ConnectionError('reset', { mayHaveHappened: true })],
    ['the server is overloaded', refusal(503, 'ServiceUnavailable', 'later')],
    ['another write came first', refusal(409, 'Conflict', 'changed')],
  ])('because %s, it is tried again', async (_why, failure) => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    const carryOut = world.carryOut;
    world.transport.on('PATCH', /persistentvolumes/, failure, failure, carryOut);
    world.start();
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
  });

  test.each([
    [4, []],
    [5, ['TopologyFailed']],
  ])('because the server stumbles, %d times, people are told when it goes on', async (times, events) => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    const stumble = Array.from({ length: times }, () => refusal(500, 'InternalError', 'etcd has no leader'));
    world.transport.on('PATCH', /persistentvolumes/, ...stumble, world.carryOut);
    world.start();
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    expect(world.events).toEqual(events);
  });

  test('because the server refuses, an Event says so, and the reason is counted', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.transport.on('PATCH', /persistentvolumes/, refusal(403, 'Forbidden', 'you may not patch volumes'));
    world.start();
    await world.clock.advance(600_000);
    expect(world.patches.length).toBeGreaterThan(5);
    expect(world.events).toEqual(['TopologyFailed']);
    expect(await figure(world, 'holdfast_topology_volumes_unlabelled{reason="writeFailed"}')).toBe('1');
  });
});

describe('what somebody else wrote', () => {
  test('is replaced, which is told and counted', async () => {
    const world = cluster(at('x', 'r'));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    expect(world.events).toEqual(['TopologyReplaced']);
    expect(await figure(world, 'holdfast_topology_conflicts_total{outcome="replaced"}')).toBe('1');
  });

  test('is kept with --overwrite=missing, which is told once, and counted once', async () => {
    const world = cluster(at('x', 'r'));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start({ overwrite: 'missing' });
    await world.settle();
    await world.clock.advance(3 * 3_600_000);
    expect(world.patches).toEqual([]);
    expect(world.events).toEqual(['TopologyConflict']);
    expect(await figure(world, 'holdfast_topology_conflicts_total{outcome="kept"}')).toBe('1');
  });

  test('is not confused with what we wrote ourselves before a pod moved', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    world.remove(PODS, 'default/web-0');
    world.put(PODS, podObject('web-0', 'data', 'node-b'));
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('b', 'r'));
    expect(world.events).toEqual([]);
  });

  test.each([
    ['sets another value', 'x'],
    ['removes it', undefined],
  ])('again and again, by a rival who %s, costs fewer and fewer writes', async (_how, value) => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    for (let second = 0; second < 3_600; second++) {
      if (world.labelsOf('pv-1')[ZONE] === 'a') setLabel(world, value);
      world.hear();
      await world.clock.advance(1_000);
    }
    expect(world.patches.length).toBeGreaterThan(8);
    expect(world.patches.length).toBeLessThan(30);
    expect(world.events).toContain('TopologyContested');
  });
});

describe('a place that nobody is in any more', () => {
  test('is given up when that has been so for a while, and not when somebody comes back', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.put(PODS, podObject('web-1', 'data', 'node-b'));
    world.start();
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a__b', 'r'));
    world.remove(PODS, 'default/web-1');
    world.hear();
    await world.clock.advance(29_000);
    world.put(PODS, podObject('web-1', 'data', 'node-b'));
    world.hear();
    await world.clock.advance(1_000);
    world.remove(PODS, 'default/web-1');
    world.hear();
    await world.clock.advance(29_000);
    expect(world.labelsOf('pv-1')).toEqual(at('a__b', 'r'));
    await world.clock.advance(2_000);
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
  });

  /** A volume of one node at a time, labelled by us, whose pod in zone b has just gone. */
  async function leftByOne(policy: Partial<Policy>): Promise<SimulatedCluster> {
    const world = cluster();
    const volume = volumeObject('pv-1', 'data');
    world.put(PERSISTENT_VOLUMES, { ...volume, spec: { ...volume.spec, accessModes: ['ReadWriteOnce'] } });
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.put(PODS, podObject('web-1', 'data', 'node-b'));
    world.start(policy);
    await world.settle();
    world.remove(PODS, 'default/web-1');
    return world;
  }
  const affinityOf = (world: SimulatedCluster) => world.get(PERSISTENT_VOLUMES, 'pv-1')?.spec?.nodeAffinity;

  test('is given up no sooner for --node-affinity, which is set after that', async () => {
    const world = await leftByOne({ nodeAffinity: true });
    world.hear();
    await world.clock.advance(29_000);
    expect([world.labelsOf('pv-1'), affinityOf(world)]).toEqual([at('a__b', 'r'), undefined]);
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    expect(affinityOf(world)).toMatchObject({
      required: { nodeSelectorTerms: [{ matchExpressions: [{ values: ['a'] }, {}] }] },
    });
  });

  test('is given up no sooner for another label that is missing, which is written at once', async () => {
    const world = await leftByOne({});
    const volume = world.get(PERSISTENT_VOLUMES, 'pv-1');
    if (volume) world.put(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, labels: at('a__b') } });
    world.hear();
    await world.clock.advance(1_000);
    world.hear();
    expect(world.labelsOf('pv-1')).toEqual(at('a__b', 'r'));
    await world.clock.advance(28_000);
    expect(world.labelsOf('pv-1')).toEqual(at('a__b', 'r'));
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
  });

  test('is given up no sooner in a dry run', async () => {
    const world = cluster(at('a__b', 'r'));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start({}, { dryRun: true });
    await world.clock.advance(29_000);
    expect(world.log.lines).toEqual([]);
    await world.clock.advance(2_000);
    expect(world.log.lines).toMatchObject([{ fields: { volume: 'pv-1', labels: at('a') } }]);
  });
});

test('users that come one after the other in many zones are no contest', async () => {
  const world = cluster();
  world.start();
  for (const zone of 'abcdefgh') {
    world.put(NODES, nodeObject(`node-${zone}`, at(zone, 'r')));
    world.put(PODS, podObject(`web-${zone}`, 'data', `node-${zone}`));
    world.hear();
    await world.clock.advance(1_000);
  }
  expect(world.labelsOf('pv-1')[ZONE]).toBe('a__b__c__d__e__f__g__h');
  expect(world.events).toEqual([]);
});

test('a label that is named like something that every object has is a label like any other', async () => {
  const world = cluster();
  world.put(NODES, nodeObject('node-a', { ...at('a'), constructor: 'c' }));
  world.put(PODS, podObject('web-0', 'data', 'node-a'));
  world.start({ labelKeys: [ZONE, 'constructor', 'valueOf'] });
  await world.settle();
  expect({ ...world.labelsOf('pv-1') }).toEqual({ [ZONE]: 'a', constructor: 'c' });
});

describe('people are told', () => {
  test('once of a node without topology, on the node', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-bare'));
    world.put(PODS, podObject('web-1', 'data', 'node-bare'));
    world.start();
    await world.settle();
    await world.clock.advance(3 * 3_600_000);
    expect(world.events).toEqual(['TopologyMissing']);
    expect(world.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('once of a node without topology, also beside one that has a place', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.put(PODS, podObject('web-1', 'data', 'node-bare'));
    world.start();
    await world.settle();
    await world.clock.advance(3 * 3_600_000);
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    expect(world.events).toEqual(['TopologyMissing']);
  });

  test('nothing of a node without topology that only volumes use which are not to be labelled', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-bare'));
    world.start({ accessModes: ['ReadWriteOnce'] });
    await world.settle();
    expect(world.events).toEqual([]);
  });

  test('once of a label of --label-keys that was left out, beside the others that were written', async () => {
    const world = cluster();
    for (const host of ['a', 'b'])
      world.put(NODES, nodeObject(`long-${host}`, { ...at('a', 'r'), host: host.repeat(40) }));
    world.put(PODS, podObject('web-0', 'data', 'long-a'));
    world.put(PODS, podObject('web-1', 'data', 'long-b'));
    world.start({ labelKeys: [...TOPOLOGY_LABELS, 'host'] });
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
    expect(world.events).toEqual(['TopologyTooLong']);
  });

  test('how many volumes are labelled, and why others are not', async () => {
    const world = cluster();
    world.put(PERSISTENT_VOLUMES, volumeObject('pv-2', undefined));
    world.put(PERSISTENT_VOLUMES, volumeObject('pv-3', undefined));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start();
    await world.settle();
    expect(await figure(world, 'holdfast_topology_volumes_labelled')).toBe('1');
    expect(await figure(world, 'holdfast_topology_volumes_unlabelled{reason="volumeIsUnclaimed"}')).toBe('2');
    world.remove(PERSISTENT_VOLUMES, 'pv-3');
    await world.settle();
    expect(await figure(world, 'holdfast_topology_volumes_unlabelled{reason="volumeIsUnclaimed"}')).toBe('1');
    world.remove(PERSISTENT_VOLUMES, 'pv-2');
    await world.settle();
    expect(await figure(world, 'holdfast_topology_volumes_unlabelled{reason="volumeIsUnclaimed"}')).toBe('0');
  });

  test('how long it took from ready to labelled, of pods that became ready under our eyes', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', undefined));
    world.start();
    await world.clock.advance(5_000);
    const ready = podObject('web-0', 'data', 'node-a');
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: world.clock.now().toISOString() }];
    await world.clock.advance(2_000);
    world.put(PODS, { ...ready, status: { phase: 'Running', conditions } });
    await world.settle();
    expect(await figure(world, 'holdfast_topology_ready_to_label_seconds_sum')).toBe('2');
    expect(await figure(world, 'holdfast_topology_ready_to_label_seconds_count')).toBe('1');
  });

  test('nothing about how long others waited before we came, or of labels that are not the first', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    await world.clock.advance(60_000);
    world.start();
    await world.settle();
    setLabel(world, undefined);
    await world.settle();
    expect(world.patches).toHaveLength(2);
    expect(await figure(world, 'holdfast_topology_ready_to_label_seconds_count')).toBe('0');
  });

  test('of another value that is kept, again when it is another', async () => {
    const world = cluster(at('x', 'r'));
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.start({ overwrite: 'missing' });
    await world.settle();
    setLabel(world, 'y');
    await world.settle();
    expect(world.events).toEqual(['TopologyConflict', 'TopologyConflict']);
  });

  test.each([
    ['moves to another', ['default/web-0']],
    ['comes in another', []],
  ])(
    'of a value of our own that is kept although a pod %s place, which is no conflict with anybody',
    async (_how, gone) => {
      const world = cluster();
      world.put(PODS, podObject('web-0', 'data', 'node-a'));
      world.start({ overwrite: 'missing' });
      await world.settle();
      for (const pod of gone) world.remove(PODS, pod);
      world.put(PODS, podObject('web-1', 'data', 'node-b'));
      await world.settle();
      expect(world.labelsOf('pv-1')).toEqual(at('a', 'r'));
      expect(world.events).toEqual(['TopologyConflict']);
      expect(await figure(world, 'holdfast_topology_conflicts_total{outcome="kept"}')).toBe('0');
    },
  );

  test('nothing of a value of our own that is kept although a pod has left one of its places', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.put(PODS, podObject('web-1', 'data', 'node-b'));
    world.start({ overwrite: 'missing' });
    await world.settle();
    world.remove(PODS, 'default/web-1');
    await world.settle();
    expect(world.labelsOf('pv-1')).toEqual(at('a__b', 'r'));
    expect(world.events).toEqual([]);
  });

  test('where the labels come from, in an annotation, when they want to know', async () => {
    const world = cluster();
    world.put(PODS, podObject('web-0', 'data', 'node-a'));
    world.put(PODS, podObject('web-1', 'data', 'node-b'));
    world.start({ provenance: true });
    await world.settle();
    const annotation = world.get(PERSISTENT_VOLUMES, 'pv-1')?.metadata.annotations?.[SOURCE_ANNOTATION];
    expect(JSON.parse(annotation ?? '')).toEqual({
      node: 'node-a,node-b',
      pod: 'default/web-0,default/web-1',
      time: '2026-01-01T00:00:00.000Z',
    });
  });
});

test('a dry run writes no Events either', async () => {
  const world = cluster(at('x'));
  world.put(PODS, podObject('web-0', 'data', 'node-a'));
  world.start({ overwrite: 'missing' }, { dryRun: true });
  await world.settle();
  expect(world.transport.journal).toEqual([]);
  expect(world.log.at('warn')).toMatchObject([{ fields: { fact: 'anotherValueIsKept' } }]);
});

test('a dry run says what it would label, once, and sends nothing', async () => {
  const world = cluster();
  world.put(PODS, podObject('web-0', 'data', 'node-a'));
  world.start({}, { dryRun: true });
  await world.settle();
  await world.clock.advance(3 * 3_600_000);
  expect(world.transport.journal).toEqual([]);
  expect(world.log.lines.filter(({ message }) => message.includes('would label'))).toMatchObject([
    { fields: { volume: 'pv-1', labels: at('a', 'r'), node: 'node-a' } },
  ]);
});

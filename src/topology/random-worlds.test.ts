/** Random worlds, edited by anybody in any order, whose events come at once, or late, or never: every label ends up as specified. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { PODS, type Pod, readySince } from '../api/pods.ts';
import { managersOfLabel } from '../kit/kube/managed-fields.ts';
import type { Labels } from '../kit/label-requirements.ts';
import { at, claimObject, nodeObject, podObject, volumeObject } from './builders.ts';
import { FIELD_MANAGER, type Policy, REGION, TOPOLOGY_LABELS, ZONE } from './contract.ts';
import { managedBy, SimulatedCluster, type VolumePatch } from './simulated-cluster.ts';
import { labelOf, valuesIn } from './values.ts';

/** What a label of a volume becomes that is `is`: where it is used by ready pods, and where it is said to be and somebody may be. */
function specified(
  cluster: SimulatedCluster,
  volume: string,
  label: string,
  is: string | undefined,
): string | undefined {
  const users = usersOf(cluster, volume);
  const ready = users.filter(({ isReady }) => isReady);
  const readyIn = ready.map(({ labels }) => labels?.[label]).filter((value) => value !== undefined);
  const hasOnlyOther = (labels: Labels | undefined) =>
    labels?.[label] === undefined && Object.keys(labels ?? {}).length > 0;
  if (readyIn.length === 0 || ready.some(({ labels }) => hasOnlyOther(labels))) return is;
  const isOurs = managersOfLabel(cluster.get(PERSISTENT_VOLUMES, volume)?.metadata ?? {}, label).includes(
    FIELD_MANAGER,
  );
  const mayBeIn = (value: string) =>
    users.some(({ isPlaced, labels }) => (isPlaced ? [value, undefined].includes(labels?.[label]) : isOurs));
  return labelOf([...readyIn, ...valuesIn(is).filter(mayBeIn)]);
}

function usersOf(cluster: SimulatedCluster, volume: string) {
  const { name, uid } = cluster.get(PERSISTENT_VOLUMES, volume)?.spec?.claimRef ?? {};
  const claim = cluster.get(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
  if (!claim || claim.metadata.uid !== uid || claim.spec?.volumeName !== volume) return [];
  const mounts = ({ spec }: Pod) => spec?.volumes?.[0]?.persistentVolumeClaim?.claimName === name;
  return cluster
    .all(PODS)
    .filter(mounts)
    .map((pod) => ({
      isPlaced: pod.spec?.nodeName !== undefined,
      isReady: readySince(pod) !== undefined,
      labels: cluster.get(NODES, pod.spec?.nodeName ?? '')?.metadata.labels,
    }));
}

const VOLUMES = ['pv-0', 'pv-1'];
const CLAIMS = ['claim-0', 'claim-1'];
const POD_NAMES = ['pod-0', 'pod-1', 'pod-2', 'pod-3'];
const NODE_NAMES = ['node-0', 'node-1', 'node-2', 'node-3'];
const one = fc.constantFrom;
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

type Step = (cluster: SimulatedCluster) => void | Promise<void>;

const node = fc.tuple(one(...NODE_NAMES), perhaps(one('a', 'b', 'c')), perhaps(one('r', 's')));
const labelsNode = node.map(([name, zone, region]): Step => {
  return (cluster) => cluster.put(NODES, nodeObject(name, at(zone, region)));
});
const removesNode = one(...NODE_NAMES).map(
  (name): Step =>
    (cluster) =>
      cluster.remove(NODES, name),
);

const pod = fc.tuple(one(...POD_NAMES), one(...CLAIMS), perhaps(one(...NODE_NAMES)), perhaps(fc.constant(true)));
const startsPod = pod.map(([name, claim, on, isReady]): Step => {
  return (cluster) => {
    cluster.remove(PODS, `default/${name}`);
    cluster.put(PODS, podObject(name, claim, on, Boolean(isReady && on)));
  };
});
const turnsPod = fc.tuple(one(...POD_NAMES), fc.boolean()).map(([name, isReady]): Step => {
  return (cluster) => {
    const found = cluster.get(PODS, `default/${name}`);
    const status = podObject(name, '', undefined, isReady).status;
    if (found?.spec?.nodeName && status) cluster.put(PODS, { ...found, status });
  };
});
const removesPod = one(...POD_NAMES).map(
  (name): Step =>
    (cluster) =>
      cluster.remove(PODS, `default/${name}`),
);

const claim = fc.tuple(one(...CLAIMS), perhaps(fc.constant(true)), perhaps(fc.constant('')));
const makesClaim = claim.map(([name, isBound, life = '-again']): Step => {
  return (cluster) => {
    const uid = `uid-of-${name}${life}`;
    if (cluster.get(PERSISTENT_VOLUME_CLAIMS, `default/${name}`)?.metadata.uid !== uid) {
      cluster.remove(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
    }
    cluster.put(PERSISTENT_VOLUME_CLAIMS, claimObject(name, isBound && name.replace('claim', 'pv'), uid));
  };
});
const removesClaim = one(...CLAIMS).map(
  (name): Step =>
    (cluster) => {
      cluster.remove(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
    },
);

const volume = fc.tuple(
  one(...VOLUMES),
  perhaps(fc.constant(true)),
  perhaps(one('a', 'x')),
  one('ReadWriteOnce', 'ReadWriteMany'),
);
const makesVolume = volume.map(([name, isClaimed, zone, mode]): Step => {
  return (cluster) => {
    const made = volumeObject(name, isClaimed && name.replace('pv', 'claim'), at(zone));
    cluster.remove(PERSISTENT_VOLUMES, name);
    cluster.put(PERSISTENT_VOLUMES, { ...made, spec: { ...made.spec, accessModes: [mode] } });
  };
});
const removesVolume = one(...VOLUMES).map(
  (name): Step =>
    (cluster) =>
      cluster.remove(PERSISTENT_VOLUMES, name),
);
const edit = fc.tuple(one(...VOLUMES), one(ZONE, REGION), perhaps(one('a', 'b', 'a__b', 'x', 'r')));
const editsLabel = edit.map(([name, label, value]): Step => {
  return (cluster) => {
    const found = cluster.get(PERSISTENT_VOLUMES, name);
    if (!found) return;
    const { [label]: _, ...others } = found.metadata.labels ?? {};
    const labels = value === undefined ? others : { ...others, [label]: value };
    const managedFields = managedBy('kubectl-label', [label], found);
    cluster.put(PERSISTENT_VOLUMES, { ...found, metadata: { ...found.metadata, labels, managedFields } });
  };
});

const edits = fc.oneof(
  { weight: 8, arbitrary: startsPod },
  { weight: 6, arbitrary: turnsPod },
  { weight: 2, arbitrary: removesPod },
  { weight: 3, arbitrary: labelsNode },
  { weight: 1, arbitrary: removesNode },
  { weight: 2, arbitrary: makesClaim },
  { weight: 1, arbitrary: removesClaim },
  { weight: 2, arbitrary: makesVolume },
  { weight: 1, arbitrary: removesVolume },
  { weight: 3, arbitrary: editsLabel },
);

/** The caches hear of some changes, or of none, or read everything anew; time passes. */
const hearings: fc.Arbitrary<Step> = fc.oneof(
  fc.infiniteStream(fc.boolean()).map(
    (chosen): Step =>
      (cluster) =>
        cluster.hear(() => chosen.next().value),
  ),
  fc.constant<Step>((cluster) => cluster.loseEvents()),
  fc.constant<Step>((cluster) => cluster.readAnew()),
  fc.integer({ min: 0, max: 20_000 }).map(
    (ms): Step =>
      (cluster) =>
        cluster.clock.advance(ms),
  ),
);

function startedCluster(policy: Partial<Policy> = {}, resyncMs = 0): SimulatedCluster {
  const cluster = new SimulatedCluster();
  for (const [index, name] of CLAIMS.entries()) {
    cluster.put(PERSISTENT_VOLUMES, volumeObject(`pv-${index}`, name));
    cluster.put(PERSISTENT_VOLUME_CLAIMS, claimObject(name, `pv-${index}`));
  }
  for (const [index, name] of NODE_NAMES.entries()) {
    cluster.put(NODES, nodeObject(name, at('abca'[index], 'rrsr'[index])));
  }
  cluster.start(policy, { resyncMs });
  return cluster;
}

/** The labels of all volumes: as they are, or as the specification wants them. */
const labelsOf = (
  cluster: SimulatedCluster,
  wanted: (volume: string, label: string, is: string | undefined) => unknown,
) =>
  VOLUMES.flatMap((name) =>
    TOPOLOGY_LABELS.map((label) => [name, label, wanted(name, label, cluster.labelsOf(name)[label])]),
  );

const LONG_ENOUGH_MS = 600_000;
const RESYNC_MS = 3_600_000;

test('each change that is heard of makes the labels what is specified, without a resync', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 40 }), async (steps) => {
      const cluster = startedCluster();
      for (const step of steps) {
        await step(cluster);
        const expected = labelsOf(cluster, (name, label, is) => specified(cluster, name, label, is));
        await cluster.settle(LONG_ENOUGH_MS);
        expect(labelsOf(cluster, (_name, _label, is) => is)).toEqual(expected);
      }
    }),
    { numRuns: 300 },
  );
});

test('whatever is heard late, again or never: once everything is read anew, the labels are what is specified', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(edits, hearings), { minLength: 5, maxLength: 60 }), async (steps) => {
      const cluster = startedCluster();
      for (const step of steps) await step(cluster);
      cluster.readAnew();
      await cluster.settle(LONG_ENOUGH_MS);
      const expected = labelsOf(cluster, (name, label, is) => specified(cluster, name, label, is));
      expect(labelsOf(cluster, (_name, _label, is) => is)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('where nobody else writes labels, every patch of ours changes one, however late the caches hear of it', async () => {
  const othersEdits = fc.oneof(startsPod, turnsPod, removesPod, labelsNode, makesClaim);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(othersEdits, hearings), { minLength: 5, maxLength: 60 }), async (steps) => {
      const cluster = startedCluster();
      for (const step of steps) await step(cluster);
      await cluster.settle(LONG_ENOUGH_MS);
      expect(cluster.patchesForNothing).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

const policies: fc.Arbitrary<Partial<Policy>> = fc.record({
  overwrite: one('always', 'missing'),
  multiZone: one('set', 'first', 'skip'),
  nodeAffinity: fc.boolean(),
  labelKeys: one<readonly string[]>([ZONE, REGION], [ZONE]),
  provenance: fc.boolean(),
});

test('whatever the policy, it comes to rest, and writes only what the policy allows', async () => {
  await fc.assert(
    fc.asyncProperty(
      policies,
      fc.array(fc.oneof(edits, hearings), { minLength: 5, maxLength: 60 }),
      async (policy, steps) => {
        const cluster = startedCluster(policy, RESYNC_MS);
        const breaches: string[] = [];
        cluster.onPatch = (before, patch) => breaches.push(...breachesOf(policy, before, patch));
        for (const step of steps) await step(cluster);
        cluster.readAnew();
        await cluster.settle(LONG_ENOUGH_MS);
        const patches = cluster.patches.length;
        await cluster.settle(RESYNC_MS + LONG_ENOUGH_MS);
        expect(cluster.patches.length - patches).toBe(0);
        expect(breaches).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

/** What a patch does that the policy does not allow, as far as one can tell without looking at the users of the volume. */
function breachesOf(
  { overwrite, multiZone, labelKeys, nodeAffinity, provenance }: Partial<Policy>,
  { metadata, spec }: PersistentVolume,
  patch: VolumePatch,
): readonly string[] {
  const labels = Object.entries(patch.metadata.labels ?? {}).flatMap(([key, value]) => [
    ...(labelKeys?.includes(key) ? [] : [`${key} was written`]),
    ...(multiZone !== 'set' && value.includes('__') ? [`${value} names several places`] : []),
    ...(overwrite === 'missing' && metadata.labels?.[key] ? [`${metadata.labels[key]} was replaced`] : []),
  ]);
  const mayBeTied = nodeAffinity && !spec?.nodeAffinity && spec?.accessModes?.[0] === 'ReadWriteOnce';
  return [
    ...labels,
    ...(patch.spec && !mayBeTied ? ['the node affinity was written'] : []),
    ...(patch.metadata.annotations && !provenance ? ['an annotation was written'] : []),
  ];
}

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
import { managedBy, type Objects, SimulatedCluster, type VolumePatch } from './simulated-cluster.ts';
import { labelOf, valuesIn } from './values.ts';

/** What a label of a volume becomes that is `is`: where it is used by ready pods, and where it is said to be and somebody may be. */
function specified(world: Objects, volume: string, label: string, is: string | undefined): string | undefined {
  const users = usersOf(world, volume);
  const ready = users.filter(({ isReady }) => isReady);
  const readyIn = ready.map(({ labels }) => usable(labels?.[label])).filter((value) => value !== undefined);
  const hasOnlyOther = (labels: Labels | undefined) =>
    usable(labels?.[label]) === undefined && Object.keys(labels ?? {}).length > 0;
  if (readyIn.length === 0 || ready.some(({ labels }) => hasOnlyOther(labels))) return is;
  const isOurs = managersOfLabel(world.get(PERSISTENT_VOLUMES, volume)?.metadata ?? {}, label).includes(FIELD_MANAGER);
  const mayBeIn = (value: string) =>
    users.some(({ isPlaced, labels }) => (isPlaced ? [value, undefined].includes(usable(labels?.[label])) : isOurs));
  return labelOf([...readyIn, ...valuesIn(is).filter(mayBeIn)]);
}

/** Of the values that nodes have here, only the letters can stand on a volume. */
const usable = (value: string | undefined): string | undefined =>
  value !== undefined && /^[a-z]$/.test(value) ? value : undefined;

function usersOf(world: Objects, volume: string) {
  const { name, uid } = world.get(PERSISTENT_VOLUMES, volume)?.spec?.claimRef ?? {};
  const claim = world.get(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
  if (!claim || claim.metadata.uid !== uid || claim.spec?.volumeName !== volume) return [];
  const mounts = ({ spec }: Pod) => spec?.volumes?.[0]?.persistentVolumeClaim?.claimName === name;
  return world
    .all(PODS)
    .filter((pod) => mounts(pod) && !ENDED.includes(pod.status?.phase ?? ''))
    .map((pod) => ({
      isPlaced: pod.spec?.nodeName !== undefined,
      isReady: readySince(pod) !== undefined,
      labels: world.get(NODES, pod.spec?.nodeName ?? '')?.metadata.labels,
    }));
}

const ENDED = ['Succeeded', 'Failed'];

const VOLUMES = ['pv-0', 'pv-1'];
const CLAIMS = ['claim-0', 'claim-1'];
const POD_NAMES = ['pod-0', 'pod-1', 'pod-2', 'pod-3'];
const NODE_NAMES = ['node-0', 'node-1', 'node-2', 'node-3'];
const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteMany'] as const;
const one = fc.constantFrom;
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

type Step = (cluster: SimulatedCluster) => void | Promise<void>;

/** Some of which cannot stand on a volume. */
const zone = one('a', 'a', 'b', 'b', 'c', 'a__b', '');
const node = fc.tuple(one(...NODE_NAMES), perhaps(zone), perhaps(one('r', 'r', 's', 'r s')));
const labelsNode = node.map(([name, inZone, region]): Step => {
  return (cluster) => cluster.put(NODES, nodeObject(name, at(inZone, region)));
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
    const hasEnded = ENDED.includes(found?.status?.phase ?? '');
    if (found?.spec?.nodeName && status && !hasEnded) cluster.put(PODS, { ...found, status });
  };
});
/** It stays on its node, and nobody uses its volumes any more. A pod that has ended never comes back. */
const endsPod = fc.tuple(one(...POD_NAMES), one(...ENDED)).map(([name, phase]): Step => {
  return (cluster) => {
    const found = cluster.get(PODS, `default/${name}`);
    if (found) cluster.put(PODS, { ...found, status: { ...found.status, phase } });
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

const volume = fc.tuple(one(...VOLUMES), perhaps(fc.constant(true)), perhaps(one('a', 'x')), one(...ACCESS_MODES));
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
  { weight: 1, arbitrary: endsPod },
  { weight: 3, arbitrary: labelsNode },
  { weight: 1, arbitrary: removesNode },
  { weight: 2, arbitrary: makesClaim },
  { weight: 1, arbitrary: removesClaim },
  { weight: 2, arbitrary: makesVolume },
  { weight: 1, arbitrary: removesVolume },
  { weight: 3, arbitrary: editsLabel },
);

/** The caches hear of some changes, or of none, or read everything anew; the job starts anew; time passes. */
const hearings: fc.Arbitrary<Step> = fc.oneof(
  fc.infiniteStream(fc.boolean()).map(
    (chosen): Step =>
      (cluster) =>
        cluster.hear(() => chosen.next().value),
  ),
  fc.constant<Step>((cluster) => cluster.loseEvents()),
  fc.constant<Step>((cluster) => cluster.readAnew()),
  fc.constant<Step>((cluster) => cluster.restart()),
  fc.integer({ min: 0, max: 20_000 }).map(
    (ms): Step =>
      (cluster) =>
        cluster.clock.advance(ms),
  ),
);

function startedCluster(policy: Partial<Policy> = {}, resyncMs = 0): SimulatedCluster {
  const cluster = new SimulatedCluster();
  for (const [index, name] of CLAIMS.entries()) {
    const made = volumeObject(`pv-${index}`, name);
    cluster.put(PERSISTENT_VOLUMES, {
      ...made,
      spec: { ...made.spec, accessModes: ACCESS_MODES.slice(index, index + 1) },
    });
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
) => LABELS.map(([name, label]) => [name, label, wanted(name, label, cluster.labelsOf(name)[label])]);

const LABELS = VOLUMES.flatMap((volume) => TOPOLOGY_LABELS.map((label) => [volume, label] as const));

/** Each with what the job does about it at once: a write that is under way when something is heard may go by what was known before. */
async function take(steps: readonly Step[], cluster: SimulatedCluster): Promise<void> {
  for (const step of steps) {
    await step(cluster);
    await cluster.react();
  }
}

/**
 * Looks at every write when it is carried out, and gathers in what it is not what was specified by all that had been heard by then. What
 * came of it later says nothing: a place that was given up wrongly is as if it had never been named.
 */
function watchWrites(cluster: SimulatedCluster): readonly string[] {
  const wrong: string[] = [];
  /** What a label is to become that names more than is specified, and since when. */
  const narrowings = new Map<string, { readonly to: string | undefined; readonly since: number }>();
  cluster.onHear = () => {
    for (const [volume, label] of LABELS) {
      const is = cluster.heard.get(PERSISTENT_VOLUMES, volume)?.metadata.labels?.[label];
      const to = specified(cluster.heard, volume, label, is);
      const known = narrowings.get(`${volume} ${label}`);
      if (!givesUp(is, to)) narrowings.delete(`${volume} ${label}`);
      else if (known?.to !== to) narrowings.set(`${volume} ${label}`, { to, since: cluster.clock.monotonic() });
    }
  };
  cluster.onPatch = ({ metadata }, patch) => {
    for (const [label, value] of Object.entries(patch.metadata.labels ?? {})) {
      const [volume, is] = [metadata.name ?? '', metadata.labels?.[label]];
      const wanted = specified(cluster.heard, volume, label, is);
      const since = narrowings.get(`${volume} ${label}`)?.since ?? Number.POSITIVE_INFINITY;
      const isTooSoon = givesUp(is, value) && cluster.clock.monotonic() < since + NARROW_AFTER_MS;
      if (value !== wanted || isTooSoon)
        wrong.push(`${volume}: ${label} was ${is}, became ${value}: ${wanted} is right`);
    }
  };
  return wrong;
}

/** Whether a label only names fewer places afterwards. */
const givesUp = (is: string | undefined, value: string | undefined): boolean =>
  valuesIn(is).length > valuesIn(value).length && valuesIn(value).every((each) => valuesIn(is).includes(each));

const LONG_ENOUGH_MS = 600_000;
const NARROW_AFTER_MS = 30_000;
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

test('whatever is heard late, again or never: every write is what was specified by then, and in the end all labels are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(edits, hearings), { minLength: 5, maxLength: 60 }), async (steps) => {
      const cluster = startedCluster();
      const wrong = watchWrites(cluster);
      await take(steps, cluster);
      cluster.readAnew();
      await cluster.settle(LONG_ENOUGH_MS);
      const expected = labelsOf(cluster, (name, label, is) => specified(cluster, name, label, is));
      expect(labelsOf(cluster, (_name, _label, is) => is)).toEqual(expected);
      expect(wrong).toEqual([]);
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
        cluster.onPatch = (before, patch) => {
          breaches.push(...breachesOf(policy, before, patch), ...doubtsOf(cluster.heard, before, patch));
        };
        await take(steps, cluster);
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

/** Why a node affinity, which can never be changed, should not have been written yet, by all that had been heard. */
function doubtsOf(
  world: Objects,
  { metadata }: PersistentVolume,
  { spec, metadata: { labels } }: VolumePatch,
): readonly string[] {
  const { nodeAffinity } = (spec ?? {}) as NonNullable<PersistentVolume['spec']>;
  const terms = nodeAffinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions ?? [];
  const users = usersOf(world, metadata.name ?? '');
  return terms.flatMap(({ key, values }) => [
    ...(users.every((user) => labelOf(values ?? []) === user.labels?.[key]) ? [] : [`${key}: a user is elsewhere`]),
    ...({ ...metadata.labels, ...labels }[key] === labelOf(values ?? [])
      ? []
      : [`${key}: the label names another place`]),
    ...(givesUp(metadata.labels?.[key], values?.[0]) ? [`${key}: somebody may come back to another place`] : []),
  ]);
}

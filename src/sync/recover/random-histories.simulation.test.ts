/** Whatever an export says, whatever is in the cluster and wherever the process dies: nothing of others is touched, and the end is as specified. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLAIMS } from '../../api/simulated-cluster.ts';
import { type KubeObject, keyOfObject } from '../../kit/kube/resource.ts';
import { RECOVERY_LABEL } from '../contract.ts';
import { sizeOf } from './apply.ts';
import { aClaim, aPair, aVolume, claimRefTo, type Exported, OURS, RecoveryWorld, SYNC, together } from './builders.ts';
import type { RecoveryPlan } from './plan.ts';
import type { RestoreSpec } from './seen.ts';

const SHAPES = ['none', 'pair', 'volume', 'claim', 'reserved'] as const;
const MEDDLING = [
  'none',
  'edit',
  'weaken',
  'deleteClaim',
  'foreignVolume',
  'foreignClaim',
  'foreignClaimThatAsks',
  'takeLabel',
  'terminate',
] as const;

interface Case {
  readonly before: (typeof SHAPES)[number];
  readonly after: (typeof SHAPES)[number];
  readonly meddling: (typeof MEDDLING)[number];
  readonly isMoved: boolean;
  readonly isLabelled: boolean;
  readonly isGrown: boolean;
}

interface History {
  readonly cases: readonly Case[];
  readonly spec: RestoreSpec;
}

const mostly = <T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 3, arbitrary: others });

const histories: fc.Arbitrary<History> = fc.record({
  cases: fc.array(
    fc.record<Case>({
      before: mostly('pair', fc.constantFrom(...SHAPES)),
      after: mostly('pair', fc.constantFrom(...SHAPES)),
      meddling: mostly('none', fc.constantFrom(...MEDDLING)),
      isMoved: mostly(false, fc.boolean()),
      isLabelled: fc.boolean(),
      isGrown: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  spec: fc.record({
    allowMassDeletion: fc.boolean(),
    binding: mostly<'Pair' | 'Local'>('Pair', fc.constant('Local')),
    massDeletion: fc.record({ moreThan: fc.nat(3), morePercentThan: fc.nat(60) }),
  }),
});

const nameOf = (index: number): string => `v${index}`;

function exportedOf(shape: Case['before'], name: string, spec: object, labels: Record<string, string>): Exported {
  const key = `apps/${name}`;
  const whole: Exported =
    shape === 'pair'
      ? aPair(name, key, { ...spec })
      : shape === 'volume'
        ? { volumes: [aVolume(name, { ...spec })] }
        : shape === 'reserved'
          ? { volumes: [aVolume(name, { ...spec, claimRef: claimRefTo(key) })] }
          : shape === 'claim'
            ? { claims: [aClaim(key)] }
            : {};
  const labelled = <T extends KubeObject>(object: T): T => ({ ...object, metadata: { ...object.metadata, labels } });
  return { volumes: whole.volumes?.map(labelled) ?? [], claims: whole.claims?.map(labelled) ?? [] };
}

const exportBefore = ({ cases }: History): Required<Exported> =>
  together(...cases.map(({ before }, index) => exportedOf(before, nameOf(index), {}, { app: 'shop' })));

const exportAfter = ({ cases }: History): Required<Exported> =>
  together(
    { volumes: [aVolume('anchor')] },
    ...cases.map(({ after, isMoved, isLabelled, isGrown }, index) => {
      const spec = {
        ...(isMoved && { nfs: { server: '10.1.2.3', path: '/moved' } }),
        ...(isGrown && { capacity: { storage: '20Gi' } }),
      };
      return exportedOf(after, nameOf(index), spec, isLabelled ? { tier: 'gold' } : { app: 'shop' });
    }),
  );

const isOurs = ({ metadata }: KubeObject): boolean => metadata.labels?.[RECOVERY_LABEL] === SYNC;

function meddle(world: RecoveryWorld, kind: Case['meddling'], name: string): void {
  const key = `apps/${name}`;
  const volume = world.volume(name);
  const foreignClaim = (spec: object) => {
    world.cluster.remove(key, CLAIMS);
    world.bind();
    world.has(aClaim(key, { ...spec }, { labels: { owner: 'somebody' } }));
  };
  const changed = (change: (object: KubeObject & { spec?: object }) => KubeObject) =>
    world.change(volume as (KubeObject & { spec?: object }) | undefined, change);
  if (kind === 'edit')
    changed(({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: { ...metadata.labels, app: 'other', zone: 'here' } },
      spec: { ...spec, mountOptions: ['noatime'] },
    }));
  if (kind === 'weaken')
    changed(({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: ['example.com/theirs'] },
      spec: { ...spec, persistentVolumeReclaimPolicy: 'Delete' },
    }));
  if (kind === 'deleteClaim') world.cluster.remove(key, CLAIMS);
  if (kind === 'foreignVolume') {
    world.cluster.vanish(name);
    world.has(aVolume(name, { nfs: { server: 'theirs', path: '/theirs' } }, { labels: { owner: 'somebody' } }));
  }
  if (kind === 'foreignClaim') foreignClaim({});
  if (kind === 'foreignClaimThatAsks') foreignClaim({ volumeName: name });
  if (kind === 'takeLabel') changed(({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }));
  if (kind === 'terminate')
    changed(({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
  world.bind();
}

/** A world as it is before the export that is tried, and the violations that are seen from then on. */
async function worldOf(history: History): Promise<{ readonly world: RecoveryWorld; readonly violations: string[] }> {
  const world = new RecoveryWorld();
  await world.restore(exportBefore(history), { ...history.spec, allowMassDeletion: true });
  history.cases.forEach(({ meddling }, index) => {
    meddle(world, meddling, nameOf(index));
  });
  world.writes.length = 0;
  const violations: string[] = [];
  world.beforeRequest = (method, path) => {
    const [, namespace, collection = '', name] =
      /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?([^/?]+)(?:\/([^?]+))?/.exec(path) ?? [];
    if (method === 'GET' || name === undefined) return;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const object = world.cluster.all(collection).find((each) => keyOfObject(each) === key);
    if (object && !isOurs(object)) violations.push(`${method} ${path} is not ours`);
    if (method === 'DELETE' && object?.metadata.deletionTimestamp) violations.push(`${path} was deleted twice`);
  };
  world.afterWrite = () => {
    world.bind();
    violations.push(...wrongBindings(world, history));
  };
  return { world, violations };
}

/** A volume that belongs to a claim in the export is never bound to another one, or to one of that name that somebody else has made and that does not ask for it. */
function wrongBindings(world: RecoveryWorld, history: History): readonly string[] {
  if (history.spec.binding === 'Local') return [];
  return history.cases.flatMap(({ meddling, before, after }, index) => {
    const volume = world.volume(nameOf(index));
    const { claimRef } = volume?.spec ?? {};
    if (!volume || !isOurs(volume) || claimRef?.uid === undefined || after !== 'pair') return [];
    const claim = world.claims.find(({ metadata }) => metadata.uid === claimRef.uid);
    if (!claim) return [];
    const isRight = keyOfObject(claim) === `apps/${nameOf(index)}`;
    const isTaken = meddling === 'foreignClaim' && before !== 'reserved' && !isOurs(claim);
    return isRight && !isTaken ? [] : [`${nameOf(index)} is bound to ${keyOfObject(claim)}`];
  });
}

const MOST_PASSES = 6;

/** Passes until there is nothing left to do. */
async function settle(world: RecoveryWorld, exported: Exported, spec: RestoreSpec): Promise<RecoveryPlan> {
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const plan = world.plan(exported, spec);
    if (sizeOf(plan) === 0) return plan;
    await world.apply(plan, { parallel: 3 });
    world.bind();
  }
  throw new Error(`after ${MOST_PASSES} passes there is still something to do`);
}

/** The specification: what is here in the end, of each object that the export has or had. */
function checkEnd(world: RecoveryWorld, history: History, start: RecoveryWorld, { refused }: RecoveryPlan): void {
  const isRefused = (name: string) => refused.some(({ kind, key }) => kind === 'PersistentVolume' && key === name);
  if (isTooMuch(start, history)) {
    start.bind();
    world.bind();
    expect(withoutPolicies(world)).toEqual(withoutPolicies(start));
    return;
  }
  history.cases.forEach((each, index) => {
    const name = nameOf(index);
    const [volume, was] = [world.volume(name), start.volume(name)];
    const isExported = each.after !== 'none' && each.after !== 'claim';
    if (was && !isOurs(was)) expect(volume?.metadata.labels).toEqual(was.metadata.labels);
    else if (was?.metadata.deletionTimestamp) checkGoing(volume, was);
    else if (isExported && was && isRefused(name))
      expect(each.isMoved || each.meddling.startsWith('foreign')).toBe(true);
    else if (isExported && was) checkKept(each, volume, was);
    else if (isExported) checkMade(name, each, world, start.claim(`apps/${name}`), history);
    else if (was && each.after === 'none') checkGone(each, volume, start.claim(`apps/${name}`));
    else if (!was) expect(volume).toBeUndefined();
  });
}

function isTooMuch(start: RecoveryWorld, history: History): boolean {
  const { allowMassDeletion, massDeletion } = history.spec;
  const { volumes, claims } = exportAfter(history);
  const isOver = (objects: readonly KubeObject[], exported: readonly KubeObject[]) => {
    const restored = objects.filter((each) => isOurs(each) && !each.metadata.deletionTimestamp);
    const lost = restored.filter((each) => !exported.some((other) => keyOfObject(other) === keyOfObject(each))).length;
    const percent = (lost / restored.length) * 100;
    const isMore = lost > (massDeletion?.moreThan ?? 5) && percent > (massDeletion?.morePercentThan ?? 20);
    return lost > 0 && (lost === restored.length || isMore);
  };
  return !allowMassDeletion && (isOver(start.volumes, volumes) || isOver(start.claims, claims));
}

type Volume = ReturnType<RecoveryWorld['volume']>;
type Claim = ReturnType<RecoveryWorld['claim']>;

function checkKept({ isLabelled, isGrown, isMoved }: Case, volume: Volume, was: Volume): void {
  expect(volume?.metadata.uid).toBe(was?.metadata.uid);
  if (isMoved) return;
  if (!isOurs(volume ?? { metadata: {} })) throw new Error('it was let go');
  const { labels, finalizers } = volume?.metadata ?? {};
  expect(labels).toMatchObject({ ...OURS, ...(isLabelled ? { tier: 'gold' } : { app: 'shop' }) });
  if (was?.metadata.labels?.zone !== undefined) expect(labels?.zone).toBe('here');
  expect(finalizers).toContain('kubernetes.io/pv-protection');
  expect(volume?.spec).toMatchObject({
    persistentVolumeReclaimPolicy: 'Retain',
    capacity: { storage: isGrown ? '20Gi' : '10Gi' },
    nfs: was?.spec?.nfs,
  });
}

function checkMade(
  name: string,
  { after, isMoved }: Case,
  world: RecoveryWorld,
  claim: Claim,
  { spec }: History,
): void {
  const volume = world.volume(name);
  const isReserved = spec.binding !== 'Local' && after !== 'volume';
  const isAnothers = claim !== undefined && !isOurs(claim) && claim.spec?.volumeName !== name;
  if (isReserved && isAnothers) {
    expect(volume).toBeUndefined();
    return;
  }
  expect(volume).toMatchObject({
    metadata: { labels: OURS, finalizers: ['kubernetes.io/pv-protection'] },
    spec: {
      persistentVolumeReclaimPolicy: 'Retain',
      ...(isMoved && { nfs: { path: '/moved' } }),
      ...(isReserved && { claimRef: { namespace: 'apps' } }),
    },
  });
}

/** It goes when its claim does, and is then made anew if it is exported. */
function checkGoing(volume: Volume, was: Volume): void {
  if (volume?.metadata.uid === was?.metadata.uid) expect(volume?.metadata.labels).toEqual(was?.metadata.labels);
}

/** Unless a claim is bound to it that is not ours, or its data would go with it. */
function checkGone({ meddling }: Case, volume: Volume, claim: Claim): void {
  const isInUse = claim !== undefined && !isOurs(claim) && volume?.spec?.claimRef?.uid === claim.metadata.uid;
  if (meddling === 'weaken') expect(volume).toBeDefined();
  if (meddling === 'weaken' || isInUse) expect(volume?.metadata.deletionTimestamp).toBeUndefined();
  else expect(volume).toBeUndefined();
}

const withoutPolicies = (world: RecoveryWorld): unknown =>
  JSON.parse(
    JSON.stringify(stateOf(world), (key, value) => (key === 'persistentVolumeReclaimPolicy' ? undefined : value)),
  );

/** Nothing is written then but that data stays. */
function checkHeld({ change }: RecoveryPlan, world: RecoveryWorld): void {
  for (const { patch } of change) expect(patch).toEqual({ spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  expect(world.writes).toEqual(change.map(({ key }) => `PATCH /api/v1/persistentvolumes/${key}`));
}

/** Without what is different each time. */
function stateOf(world: RecoveryWorld): unknown {
  const shown = ({ metadata, ...rest }: KubeObject) => {
    const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields: ____, ...kept } = metadata;
    return JSON.parse(JSON.stringify({ ...rest, metadata: kept }, (key, value) => (key === 'uid' ? 'some' : value)));
  };
  const byKey = (a: KubeObject, b: KubeObject) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1);
  return [...world.volumes, ...world.claims].toSorted(byKey).map(shown);
}

test('nothing of others is touched, the end is as specified, and then there is nothing to do', async () => {
  const seen = { held: 0, refused: 0, removed: 0, created: 0, changed: 0 };
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { world: start } = await worldOf(history);
      const { world, violations } = await worldOf(history);
      const first = world.plan(exportAfter(history), history.spec);
      const plan = await settle(world, exportAfter(history), history.spec);
      seen.held += first.held ? 1 : 0;
      seen.refused += plan.refused.length;
      seen.removed += first.remove.length;
      seen.created += first.create.length;
      seen.changed += first.change.length;
      expect(violations).toEqual([]);
      if (first.held) checkHeld(first, world);
      checkEnd(world, history, start, plan);
    }),
    { numRuns: 600 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

test('wherever the process dies, the end is the same', async () => {
  let deaths = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const exported = exportAfter(history);
      const { world: undisturbed } = await worldOf(history);
      await settle(undisturbed, exported, history.spec);
      for (let death = 1; death <= undisturbed.writes.length; death++) {
        const { world, violations } = await worldOf(history);
        await dying(world, exported, history.spec, death);
        await settle(world, exported, history.spec);
        expect(violations).toEqual([]);
        expect(stateOf(world)).toEqual(stateOf(undisturbed));
        deaths += 1;
      }
    }),
    { numRuns: 60 },
  );
  expect(deaths).toBeGreaterThan(200);
});

/** It dies after so many writes: the server has carried the last one out, and nobody hears of it. */
async function dying(world: RecoveryWorld, exported: Exported, spec: RestoreSpec, death: number): Promise<void> {
  const { afterWrite } = world;
  const killed = new AbortController();
  world.afterWrite = (count) => {
    afterWrite(count);
    if (count === death) killed.abort(new Error('killed'));
    if (count >= death) throw new Error('killed');
  };
  await world.apply(world.plan(exported, spec), { signal: killed.signal, parallel: 3 }).catch(() => {});
  world.afterWrite = afterWrite;
}

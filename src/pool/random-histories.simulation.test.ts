import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CANCEL_ANNOTATION } from './contract.ts';
import type { Temper } from './simulated-agents.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import type { Fault } from './simulated-process.ts';

/** What happens, in words, and how. */
type Event = readonly [what: string, happens: (cluster: SimulatedCluster) => void] & {
  readonly [fc.toStringMethod]?: () => string;
};

const event = (what: string, happens: (cluster: SimulatedCluster) => void): Event =>
  Object.assign([what, happens] as const, { [fc.toStringMethod]: () => what });

const ordinal = fc.integer({ min: 0, max: 4 });
const tempers: readonly Temper[] = ['honest', 'honest', 'silent', 'liar', 'garbled', 'lazy'];
const faults: readonly Fault[] = ['crash-before', 'crash-after', 'lost-before', 'lost-after'];

/** Of one that is there. */
const ifThere = (cluster: SimulatedCluster, one: number, happens: () => void) => {
  if (cluster.api.get('pods', `default/data-sts-${one}`) && cluster.hasDisk(one)) happens();
};

const events: readonly fc.Arbitrary<Event>[] = [
  fc.integer({ min: 0, max: 5 }).map((numPVs) => event(`want ${numPVs}`, (cluster) => cluster.respec({ numPVs }))),
  fc.integer({ min: 1, max: 4 }).map((numPVs) => event(`want ${numPVs}`, (cluster) => cluster.respec({ numPVs }))),
  fc
    .integer({ min: 1, max: 3 })
    .map((tag) => event(`image ${tag}`, (cluster) => cluster.respec({ image: `holdfast:${tag}` }))),
  fc.constant(event('grow', (cluster) => cluster.respec({ pvSizeGB: cluster.pool.spec.pvSizeGB + 1 }))),
  fc
    .constantFrom('Retain' as const, 'Delete' as const)
    .map((whenScaled) => event(`claims: ${whenScaled}`, (cluster) => cluster.respec({ claims: { whenScaled } }))),
  fc.constant(event('cancel', (cluster) => cluster.annotate({ [CANCEL_ANNOTATION]: '' }))),
  fc.integer({ min: 1, max: 30 }).map((count) => event(`write ${count}`, (cluster) => cluster.write(count))),
  fc.integer({ min: 1, max: 30 }).map((count) => event(`write ${count}`, (cluster) => cluster.write(count))),
  ordinal.map((one) => event(`lose pod ${one}`, (cluster) => ifThere(cluster, one, () => cluster.losePod(one)))),
  ordinal.map((one) =>
    event(`lose claim ${one}`, (cluster) =>
      ifThere(cluster, one, () => cluster.asAPerson(() => cluster.loseClaim(one))),
    ),
  ),
  fc
    .tuple(ordinal, fc.constantFrom(...tempers))
    .map(([one, temper]) =>
      event(`${one} is ${temper}`, (cluster) => ifThere(cluster, one, () => cluster.temper(one, temper))),
    ),
  ordinal.map((one) =>
    event(`${one} has been told by somebody`, (cluster) =>
      ifThere(cluster, one, () =>
        Object.assign(cluster.diskOf(one), { state: 'Decommissioned', generation: cluster.diskOf(one).generation + 3 }),
      ),
    ),
  ),
  fc.integer({ min: 1, max: 6 }).map((replicas) =>
    event(`somebody scales the StatefulSet to ${replicas}, or leaves it`, (cluster) => {
      if (!cluster.set || (cluster.set.spec?.replicas ?? 0) >= replicas) return;
      cluster.asAPerson(() =>
        cluster.api.change('statefulsets', 'default/data-sts', (set) => ({
          ...set,
          spec: { ...cluster.set?.spec, replicas },
        })),
      );
    }),
  ),
  fc.constant(event('the operator dies', (cluster) => cluster.process?.kill())),
  fc
    .tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(...faults))
    .map(([after, fault]) =>
      event(`${fault} in ${after} calls`, (cluster) => cluster.faults.set(cluster.calls.length + after, fault)),
    ),
  fc.constantFrom(10, 500, 4_000).map((lag) =>
    event(`caches are ${lag} ms late`, (cluster) => {
      cluster.lagMs = () => lag;
    }),
  ),
  fc.constant(
    event('caches hear nothing', (cluster) => {
      cluster.lagMs = () => undefined;
    }),
  ),
  fc.constant(
    event('caches read anew', (cluster) => {
      cluster.lagMs = () => 10;
      cluster.process?.readAnew();
    }),
  ),
];

const history = fc.array(fc.tuple(fc.oneof(...events), fc.integer({ min: 0, max: 12 })), {
  minLength: 3,
  maxLength: 25,
});

/** All is as it should be, or a person is told why it is not. */
function isAtRest(cluster: SimulatedCluster): boolean {
  const { status, metadata } = cluster.pool;
  if (status?.observedGeneration !== metadata.generation || status?.operation) return false;
  return cluster.isReady() || /^True (NowhereToGo|DoesNotFit)/.test(cluster.says('Degraded'));
}

/** What the operator does in a history that nothing disturbs any more. */
const MOST_WRITES = 120;

test('whatever happens, in any order, nothing is lost, and all comes to rest', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (happens) => {
      const cluster = await SimulatedCluster.withPool();
      cluster.write(12);
      for (const [[, act], seconds] of happens) {
        act(cluster);
        await cluster.pass(seconds);
      }
      cluster.lagMs = () => 10;
      cluster.faults.clear();
      cluster.agents.tempers.clear();
      cluster.start();
      const before = cluster.calls.length;
      const isOver = await cluster.until(() => isAtRest(cluster), 900);
      expect(isOver, `${cluster.says('Ready')} / ${cluster.says('Degraded')}`).toBe(true);
      expect(cluster.calls.length - before).toBeLessThan(MOST_WRITES);
      await cluster.pass(70);
      const atRest = cluster.calls.length;
      await cluster.pass(600);
      expect(cluster.calls.slice(atRest)).toEqual([]);
      expect(cluster.lost).toEqual([]);
      expect(cluster.violations).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

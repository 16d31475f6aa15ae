import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settled, VirtualClock } from '../../kit/clock/virtual.ts';
import { NO_KEYS } from '../export/keys.ts';
import { pointerKey } from '../export/names.ts';
import { readPointer } from '../export/records.ts';
import { verifyChain } from '../export/verify-chain.ts';
import type { SimulatedFault } from '../store/simulated-faults.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import { CheckedHistory } from './checked-history.ts';
import { inTime } from './in-time.ts';
import { SimulatedLine } from './simulated-line.ts';
import { CLUSTER, PLAIN, SimulatedSite } from './simulated-site.ts';

const DAY = 86_400_000;
/** Each way of a call, so that a whole export takes a second or so. */
const LONGEST_WAY_MS = 60;
/** Two processes of the first cluster, as when one that was deposed as leader does not know it yet. */
const PROCESSES = ['a', 'a again', 'b'] as const;

/** A process that does one thing at a time, and begins the next when it is told to after that. */
class Process {
  readonly site: SimulatedSite;
  readonly #line: SimulatedLine;
  #work: Promise<unknown> = Promise.resolve();
  #isBusy = false;

  constructor(store: SimulatedStore, clock: VirtualClock, name: string, delayMs: () => number) {
    this.#line = new SimulatedLine({ clock, delayMs });
    this.site = new SimulatedSite({ store, clock, name, through: this.#line.through });
  }

  begin(act: (site: SimulatedSite) => Promise<unknown>): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const { death } = this.#line;
    const ended = Promise.race([act(this.site).catch(() => {}), death]);
    this.#work = ended.finally(() => {
      this.#isBusy = false;
    });
  }

  kill(): void {
    this.#line.kill();
    this.site.restart();
  }

  get rest(): Promise<unknown> {
    return this.#work;
  }
}

class World {
  readonly clock = new VirtualClock();
  readonly store = new SimulatedStore(this.clock);
  readonly processes: readonly Process[];
  #edition = 1;

  constructor(random: () => number) {
    const delayMs = () => Math.floor(random() * LONGEST_WAY_MS);
    this.processes = PROCESSES.map((name) => new Process(this.store, this.clock, name.slice(0, 1), delayMs));
  }

  process(index: number): Process {
    return this.processes[index] ?? expect.unreachable();
  }

  /** What is in the cluster is the same for all its processes. */
  edit(index: number): void {
    this.#edition += 1;
    const { clusterUid } = this.process(index).site;
    for (const { site } of this.processes) if (site.clusterUid === clusterUid) site.edition = this.#edition;
  }

  /** As the status in the cluster is seen by all its processes. */
  share(): void {
    const [first, second] = this.processes;
    if (first && second) second.site.status = first.site.status;
  }
}

type Event = readonly [what: string, happens: (world: World) => void | Promise<void>];

const process = fc.nat(PROCESSES.length - 1);
const of = (what: string, happens: (world: World, index: number) => void): fc.Arbitrary<Event> =>
  process.map((index) => [`${PROCESSES[index]} ${what}`, (world) => happens(world, index)]);

const faults: readonly SimulatedFault[] = [
  { kind: 'fail' },
  { kind: 'lost-reply' },
  { kind: 'lost-reply' },
  { kind: 'delay', until: 2000 },
];

const exports = of('exports', (world, index) => world.process(index).begin((site) => site.export()));
const passes = (most: number) =>
  fc.integer({ min: 1, max: most }).map((ms): Event => [`${ms} ms pass`, ({ clock }) => clock.advance(ms)]);

const event: fc.Arbitrary<Event> = fc
  .oneof(
    { weight: 6, arbitrary: exports },
    { weight: 6, arbitrary: passes(400) },
    { weight: 2, arbitrary: passes(5000) },
    { weight: 4, arbitrary: of('is changed', (world, index) => world.edit(index)) },
    { weight: 2, arbitrary: of('confirms', (world, index) => world.process(index).begin((site) => site.confirm())) },
    { weight: 2, arbitrary: of('takes over', (world, index) => world.process(index).begin((site) => site.takeOver())) },
    {
      weight: 1,
      arbitrary: of('exports by schedule', (world, index) => world.process(index).begin((site) => site.export(true))),
    },
    { weight: 2, arbitrary: of('is killed', (world, index) => world.process(index).kill()) },
    {
      weight: 1,
      arbitrary: of('packs from now on', (world, index) => {
        world.process(index).site.form = { ...PLAIN, compression: 'Gzip' };
      }),
    },
    {
      weight: 1,
      arbitrary: of('keeps nothing from now on', (world, index) => {
        world.process(index).site.retention = 0;
      }),
    },
    { weight: 1, arbitrary: fc.constant<Event>(['days pass', ({ clock }) => clock.advance(4 * DAY)]) },
    { weight: 1, arbitrary: fc.constant<Event>(['statuses are seen', (world) => world.share()]) },
    {
      weight: 1,
      arbitrary: fc.constant<Event>([
        'the clock is set back',
        ({ clock }) => clock.setNow(new Date(clock.now().getTime() - 3_600_000)),
      ]),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...faults), fc.integer({ min: 1, max: 15 }))
        .map(([fault, nth]): Event => [`call ${nth}: ${fault.kind}`, ({ store }) => void store.inject({ nth }, fault)]),
    },
  )
  .map(([what, happens]) => Object.assign([what, happens] as const, { [fc.toStringMethod]: () => what }));

describe('clusters that write to one store', () => {
  test('are never two at once, and what was exported last can always be restored', async () => {
    let exported = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 10, maxLength: 60 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        async (events, random) => {
          const world = new World(() => random.next().value);
          for (const [, happens] of events) await happens(world);
          world.store.heal();
          for (const each of world.processes) await inTime(world.clock, each.rest);
          await settled();
          const history = new CheckedHistory(CLUSTER);
          await history.check(world.store.history);
          exported += world.store.keys('prod/').length;
          await endsWell(world);
        },
      ),
      { numRuns: 150 },
    );
    expect(exported, 'much was exported').toBeGreaterThan(100);
  });
});

/** Whoever is the writer, or is made it, exports what it has, and all is sound. */
async function endsWell({ store, clock, processes }: World): Promise<void> {
  const body = store.body(pointerKey(CLUSTER));
  const pointer = body && readPointer(body, { cluster: CLUSTER, keys: NO_KEYS, isRequired: false });
  const writer = processes.find(({ site }) => site.clusterUid === (pointer?.clusterUid ?? 'uid-of-a'));
  const { site } = writer ?? expect.unreachable();
  expect((await inTime(clock, site.export())).kind).toMatch(/exported|unchanged/);
  for (const other of processes) {
    if (other.site.clusterUid === site.clusterUid) continue;
    expect((await inTime(clock, other.site.export())).kind).toMatch(/deposed|foreign/);
  }
  expect(await new CheckedHistory(CLUSTER).check(store.history)).toBe(`edition-${site.edition}`);
  const signal = new AbortController().signal;
  const findings = await Array.fromAsync(verifyChain(store.as('auditor'), CLUSTER, NO_KEYS, signal));
  expect(findings.filter(({ severity }) => severity === 'broken')).toEqual([]);
}

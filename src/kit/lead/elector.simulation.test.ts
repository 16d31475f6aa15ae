import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import { silentLog } from '../observe/log.ts';
import { Elector } from './elector.ts';
import { SimulatedLease, SimulatedProcess, type Weather } from './simulated-lease.ts';

const MINUTE = 60_000;
/** For as long as this all goes wrong that the schedule says; after it nothing does. */
const TROUBLED_MS = 2 * MINUTE;
const CALM_MS = MINUTE;

interface Machine {
  readonly skewMs: number;
  /** Clocks of real machines differ by parts in a thousand; these by much more. */
  readonly rate: number;
  readonly pauses: readonly { readonly atMs: number; readonly forMs: number }[];
  readonly stopsAtMs: number | undefined;
}

const machine: fc.Arbitrary<Machine> = fc.record({
  skewMs: fc.integer({ min: -10 * 3_600_000, max: 10 * 3_600_000 }),
  rate: fc.double({ min: 0.9, max: 1.1, noNaN: true }),
  pauses: fc.array(
    fc.record({ atMs: fc.integer({ min: 0, max: TROUBLED_MS }), forMs: fc.integer({ min: 1, max: 40_000 }) }),
    { maxLength: 6 },
  ),
  stopsAtMs: fc.option(fc.integer({ min: 0, max: TROUBLED_MS }), { nil: undefined }),
});

const delay = fc.oneof(fc.constant(5), fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 20_000 }));
const weather: fc.Arbitrary<Weather> = fc.record(
  {
    waitMs: delay,
    thereMs: delay,
    backMs: delay,
    trouble: fc.constantFrom<Weather['trouble'] & string>('request lost', 'reply lost', 'unavailable'),
  },
  { requiredKeys: [] },
);
const fairWeather: Weather = { thereMs: 5, backMs: 5 };

test('whatever is delayed, lost, stopped or told a wrong time, no two gates are open at once, and in the end one is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(machine, { minLength: 2, maxLength: 3 }),
      fc.array(fc.option(weather, { nil: fairWeather }), { maxLength: 150 }),
      fc.integer(),
      async (machines, forecast, seed) => {
        const cluster = new Cluster(forecast, seed);
        for (const [index, each] of machines.entries()) cluster.add(`p${index}`, each);
        await cluster.run(TROUBLED_MS + CALM_MS);
        expect(cluster.overlaps).toEqual([]);
        expect(cluster.writesThroughClosedGates).toEqual([]);
        expect(cluster.openGates()).toHaveLength(1);
      },
    ),
    { numRuns: 200 },
  );
}, 120_000);

class Cluster {
  readonly world = new VirtualClock();
  readonly server = new SimulatedLease();
  readonly overlaps: string[] = [];
  readonly writesThroughClosedGates: string[] = [];
  readonly #electors = new Map<string, Elector>();
  readonly #forecast: readonly Weather[];
  readonly #random: () => number;
  #requests = 0;

  constructor(forecast: readonly Weather[], seed: number) {
    this.#forecast = forecast;
    this.#random = seeded(seed);
  }

  add(name: string, { skewMs, rate, pauses, stopsAtMs }: Machine): void {
    const { world, server } = this;
    const process = new SimulatedProcess({ name, world, server, skewMs, rate, weather: () => this.#nextWeather() });
    for (const { atMs, forMs } of pauses) {
      world.after(atMs, () => process.stop());
      world.after(atMs + forMs, () => process.continue());
    }
    this.#live(name, process, stopsAtMs, 0);
  }

  openGates(): string[] {
    return [...this.#electors].filter(([, elector]) => elector.gate.open).map(([name]) => name);
  }

  /** Looks every now and then. Besides, each process looks when it begins to lead and at each of its writes. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await this.world.advance(1_000);
      this.#look();
    }
  }

  /** A process that has lost the lease, or was told to stop, is replaced by another with a name of its own. */
  #live(name: string, process: SimulatedProcess, stopsAtMs: number | undefined, life: number): void {
    const identity = `${name}-${life}`;
    const client = new KubeClient({ transport: process, clock: process, random: this.#random });
    const elector = new Elector({
      ...{ client, clock: process, random: this.#random, log: silentLog, namespace: 'ns', name: 'holdfast', identity },
      onLeading: () => this.#look(),
    });
    this.#electors.set(name, elector);
    const stop = new AbortController();
    if (stopsAtMs !== undefined) this.world.after(stopsAtMs - this.world.monotonic(), () => stop.abort());
    const write = () => this.#checkWrite(identity, elector);
    void elector
      .run(stop.signal, (signal) => this.#work(signal, process, write))
      .then(() => this.#live(name, process, undefined, life + 1));
  }

  /** Writes every now and then, without looking at its signal. */
  async #work(signal: AbortSignal, process: SimulatedProcess, write: () => void): Promise<void> {
    const again = () => {
      write();
      cancel = process.after(500, again);
    };
    let cancel = process.after(500, again);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    cancel();
  }

  #checkWrite(identity: string, elector: Elector): void {
    this.#look();
    if (!elector.gate.open) return;
    const holder = this.server.lease?.spec?.holderIdentity;
    if (holder !== identity) this.writesThroughClosedGates.push(`${identity} wrote while ${holder} held the lease`);
  }

  #look(): void {
    const open = this.openGates();
    if (open.length > 1) this.overlaps.push(`${open.join(' and ')} at ${this.world.monotonic()} ms`);
  }

  #nextWeather(): Weather {
    if (this.world.monotonic() > TROUBLED_MS) return fairWeather;
    return this.#forecast[this.#requests++] ?? fairWeather;
  }
}

/** The same numbers for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

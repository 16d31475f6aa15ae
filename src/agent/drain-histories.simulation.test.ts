import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sleep } from '../kit/clock/clock.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { PoolClient } from '../pool-client/client.ts';
import { NotTaken, Refused, Unknown, Unreachable } from '../pool-client/errors.ts';
import { bytesSource } from '../pool-client/source.ts';
import { SimulatedPool, type World } from './drain-simulated-pool.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const WRITERS = 4;
const KEYS_OF_A_WRITER = 5;
const OPERATIONS = 60;
const LONGEST_MS = 500;
/**
 * Between two scale-downs, as an operator that looks around first takes it. All agents are asked in less: no blob moves twice while a
 * client looks for it, which is what it relies on.
 */
const PAUSE_MS = 2 * 2 * NAMES.length * LONGEST_MS;

/** Agents that do not answer, or take nothing. */
const FAILURES = [NotTaken, Refused, Unknown, Unreachable];

/** What a key may hold, as its only writer knows it: several after an answer that nobody got. */
type Possible = Set<string | 'nothing'>;

/** The same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class History {
  readonly clock = new VirtualClock();
  readonly random: () => number;
  readonly world: World;
  readonly pool: SimulatedPool;
  readonly client: PoolClient;
  readonly #possible = new Map<string, Possible>();
  readonly #bytes = new Map<string, string>();
  #generation = 0;
  #isOver = false;
  /** How often each thing was acknowledged or seen, so that histories in which nothing happens are noticed. */
  readonly seen = { put: 0, removed: 0, read: 0, failed: 0, drained: 0, moved: 0 };

  constructor(seed: number, lossRate: number) {
    this.random = numbersFrom(seed);
    this.world = { clock: this.clock, random: this.random, lossRate, longestMs: LONGEST_MS };
    this.pool = new SimulatedPool(NAMES, this.world);
    this.client = new PoolClient({
      agents: async () => this.pool.agents.map(({ peer }) => peer),
      clock: this.clock,
      random: this.random,
      patienceMs: 2_000,
      calls: this.pool.callsOfClient(),
    });
  }

  async run(): Promise<void> {
    const writers = Array.from({ length: WRITERS }, (_, index) => this.#write(index));
    const troubles = [this.#operate(), this.#kill()];
    await this.#pass(Promise.all(writers));
    this.#isOver = true;
    await this.#pass(Promise.all(troubles));
    await this.#pass(this.#endWell());
  }

  async #pass<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    for (let rounds = 0; !isDone; rounds++) {
      if (rounds > 50_000) throw new Error('it never ends');
      await this.clock.advance(20);
    }
    return await done;
  }

  async #write(writer: number): Promise<void> {
    for (let count = 0; count < OPERATIONS; count++) {
      const key = `w${writer}/k${Math.floor(this.random() * KEYS_OF_A_WRITER)}`;
      await sleep(this.clock, this.random() * 100);
      const choice = this.random();
      await this.#tried(choice < 0.4 ? this.#put(key) : choice < 0.6 ? this.#remove(key) : this.#get(key));
    }
  }

  /** Anything else that goes wrong is a defect. */
  async #tried(operation: Promise<void>): Promise<void> {
    try {
      await operation;
    } catch (error) {
      if (!FAILURES.some((kind) => error instanceof kind)) throw error;
      this.seen.failed += 1;
    }
  }

  /** Bytes of a key change only after a removal that was acknowledged: keys are written once. */
  async #put(key: string): Promise<void> {
    const possible = this.#possibleOf(key);
    const isFresh = possible.size === 1 && possible.has('nothing');
    const text = (isFresh ? undefined : this.#bytes.get(key)) ?? 'x'.repeat(this.random() * 10) + this.random();
    this.#bytes.set(key, text);
    possible.add(text);
    await this.client.put(key, bytesSource(Buffer.from(text)));
    this.#possible.set(key, new Set([text]));
    this.seen.put += 1;
  }

  async #remove(key: string): Promise<void> {
    this.#possibleOf(key).add('nothing');
    const wasThere = await this.client.remove(key);
    this.#possible.set(key, new Set(['nothing']));
    if (wasThere) this.seen.removed += 1;
  }

  async #get(key: string): Promise<void> {
    const found = await this.#read(key);
    expect([...this.#possibleOf(key)], `${key} at ${this.clock.monotonic()}`).toContain(found ?? 'nothing');
    this.seen.read += 1;
  }

  async #read(key: string): Promise<string | undefined> {
    const found = await this.client.get(key);
    if (!found) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of found.body) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  #possibleOf(key: string): Possible {
    const possible = this.#possible.get(key) ?? new Set(['nothing']);
    this.#possible.set(key, possible);
    return possible;
  }

  /** One agent or two at a time, to all that are not drained; sent again, called off, or left until it is done. */
  async #operate(): Promise<void> {
    while (!this.#isOver) {
      const leaving = this.pool.agents.filter(() => this.random() < 0.4).slice(0, 2);
      const peers = this.pool.agents.filter((each) => !leaving.includes(each)).map(({ peer }) => peer);
      this.#generation += 1;
      const order = { generation: this.#generation, peers };
      for (const agent of leaving) if (agent.isAlive) agent.decommission(order);
      for (let looks = 0; looks < 30 && !leaving.every(({ state }) => state === 'Decommissioned'); looks++) {
        await sleep(this.clock, this.random() * 300);
        if (this.random() < 0.2) for (const agent of leaving) if (agent.isAlive) agent.decommission(order);
      }
      this.#lookAtDrained(leaving.map(({ peer }) => peer.name));
      for (const agent of this.pool.agents) await this.#recommission(agent.peer.name);
      await sleep(this.clock, PAUSE_MS);
    }
  }

  #lookAtDrained(names: readonly string[]): void {
    for (const name of names) {
      const agent = this.pool.agent(name);
      if (agent.state !== 'Decommissioned') continue;
      expect([...agent.disk.blobs.keys()], `what ${name} holds, which says that it is drained`).toEqual([]);
      this.seen.drained += 1;
    }
  }

  async #recommission(name: string): Promise<void> {
    const agent = this.pool.agent(name);
    while (agent.state !== 'Ready') {
      if (agent.isAlive) {
        this.seen.moved += agent.drain.status()?.movedBlobs ?? 0;
        await Promise.race([agent.recommission(), agent.ended]);
      }
      await sleep(this.clock, 10);
    }
  }

  async #kill(): Promise<void> {
    while (!this.#isOver) {
      await sleep(this.clock, this.random() * 1_500);
      const agent = this.pool.agents[Math.floor(this.random() * NAMES.length)];
      agent?.kill();
      await sleep(this.clock, this.random() * 1_000);
      agent?.start();
    }
  }

  /** Peace: one agent is drained for good, and everything is read. */
  async #endWell(): Promise<void> {
    this.world.lossRate = 0;
    for (const agent of this.pool.agents) if (!agent.isAlive) agent.start();
    for (const agent of this.pool.agents) await this.#recommission(agent.peer.name);
    const [last, ...others] = this.pool.agents;
    last?.decommission({ generation: this.#generation + 1, peers: others.map(({ peer }) => peer) });
    while (last?.state !== 'Decommissioned') await sleep(this.clock, 100);
    expect(last.disk.blobs.size).toBe(0);
    const listed: string[] = [];
    for await (const { key } of this.client.list()) listed.push(key);
    expect(new Set(listed).size).toBe(listed.length);
    for (const [key, possible] of this.#possible) {
      const found = (await this.#read(key)) ?? 'nothing';
      expect([...possible], key).toContain(found);
      expect(listed.includes(key), `${key} in the listing`).toBe(found !== 'nothing');
    }
  }
}

test('whatever is killed, lost or ordered meanwhile: nothing acknowledged is lost or changed, and nothing removed comes back', async () => {
  const total = { put: 0, removed: 0, read: 0, failed: 0, drained: 0, moved: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.constantFrom(0, 0.02, 0.1), async (seed, lossRate) => {
      const history = new History(seed, lossRate);
      await history.run();
      for (const [name, count] of Object.entries(history.seen)) total[name as keyof typeof total] += count;
    }),
    { numRuns: Number(process.env.HOLDFAST_HISTORIES ?? 60), endOnFailure: true },
  );
  expect(
    Object.values(total).every((count) => count > 20),
    JSON.stringify(total),
  ).toBe(true);
});

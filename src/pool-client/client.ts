/**
 * A pool as its readers and writers see it: blobs by key, wherever they are. An agent that does not answer makes an answer unknown, never
 * a "not found"; such calls are tried again for a while and then fail with an error that names the agent.
 */
import type { Random } from '../kit/backoff.ts';
import { type Clock, systemClock } from '../kit/clock/clock.ts';
import type { AgentCalls, Download, Resumption } from './agent-calls.ts';
import { AgentClient } from './agent-client.ts';
import { checkKey } from './blob-path.ts';
import { Connections } from './connections.ts';
import { wholeOf } from './download.ts';
import { Conflict, Corrupt, NotTaken, Unknown } from './errors.ts';
import { stretchOf } from './listing.ts';
import { orderOf } from './order.ts';
import { Patience } from './patience.ts';
import type { AgentStatus, BlobInfo, Peer } from './protocol.ts';
import { asError, askAll, type Round } from './rounds.ts';
import type { BlobSource } from './source.ts';
import { isCorrupt, isFull, isLasting } from './standing.ts';

export interface PoolClientOptions {
  /** Who belongs to the pool now, those that drain included. Asked again for each try. */
  readonly agents: () => Promise<readonly Peer[]>;
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  /** How long is tried before a call fails. An agent that starts anew should be back by then. */
  readonly patienceMs?: number;
  /** How agents are asked; over HTTP unless told otherwise. */
  readonly calls?: AgentCalls;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface StoredBlob {
  /** False when the pool had the same bytes under the key already. */
  readonly made: boolean;
  readonly agent: string;
}

export interface FoundBlob {
  readonly info: BlobInfo;
  readonly agent: string;
}

export interface ReadBlob extends FoundBlob {
  /** Ends without an error only if every byte has come and the digest is the one that was stored. */
  readonly body: AsyncIterable<Buffer>;
}

const PATIENCE_MS = 30_000;

export class PoolClient implements Disposable {
  readonly #agents: PoolClientOptions['agents'];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #patienceMs: number;
  readonly #connections: Connections | undefined;
  readonly #calls: AgentCalls;

  constructor(options: PoolClientOptions) {
    this.#agents = options.agents;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    const { token } = options;
    const tokenNow = typeof token === 'string' ? () => token : token;
    this.#connections = options.calls ? undefined : new Connections({ clock: this.#clock, token: tokenNow });
    this.#calls = options.calls ?? new AgentClient(this.#connections as Connections);
  }

  /**
   * Stores the bytes at the first agent in the key's order that takes them. All agents are asked before whether they have the key: keys
   * are written once in the whole pool. So an agent that does not answer lets this fail, even if another could take the blob. Two who
   * store different bytes under one key at the same moment may both succeed if the first agent of the order takes only one of them.
   */
  async put(key: string, source: BlobSource, { signal }: CallOptions = {}): Promise<StoredBlob> {
    checkKey(key);
    const patience = this.#patience(signal);
    const blob = { key, size: source.size, sha256: source.sha256 };
    for (let isFirst = true; ; isFirst = false) {
      const agents = orderOf(key, await this.#agents());
      const { answers, failures } = await this.#heads(agents, key, signal);
      const holder = holderOf(answers);
      if (holder) return storedBefore(holder, blob, isFirst);
      if (!failures.every(isCorrupt)) await patience.after(new Unknown(key, failures));
      else {
        const stored = await this.#store(damagedFirst(agents, failures), blob, source, signal);
        if (!(stored instanceof NotTaken)) return stored;
        await patience.after(stored);
      }
    }
  }

  /** Nothing when no agent has it. The body must be read to its end, or left. */
  async get(key: string, { signal }: CallOptions = {}): Promise<ReadBlob | undefined> {
    const found = await this.#find(key, (agent) => this.#calls.get(agent, key, undefined, signal), signal);
    if (!found) return undefined;
    const { agent, answer } = found;
    const resume = (from: Resumption) => this.#rest(key, from, signal);
    return { info: answer.info, agent: agent.name, body: wholeOf(answer, resume, this.#patience(signal)) };
  }

  /** Nothing when no agent has it. */
  async head(key: string, { signal }: CallOptions = {}): Promise<FoundBlob | undefined> {
    const found = await this.#find(key, (agent) => this.#calls.head(agent, key, signal), signal);
    return found && { agent: found.agent.name, info: found.answer };
  }

  /** Every agent that has it: more than one while it moves, and after a move that was cut off. */
  async holders(key: string, { signal }: CallOptions = {}): Promise<readonly FoundBlob[]> {
    checkKey(key);
    const answers = await this.#fromAll((agent) => this.#calls.head(agent, key, signal), signal, key);
    return answers.flatMap(({ agent, answer }) => (answer ? { agent: agent.name, info: answer } : []));
  }

  /**
   * Whether there may have been one: an agent whose answer was lost may have removed it. When this resolves there is none any more: all
   * agents were asked, and then said in one round that they have none. A single round could miss a blob that moves from an agent that is
   * asked late to one that was asked early.
   */
  async remove(key: string, { signal }: CallOptions = {}): Promise<boolean> {
    checkKey(key);
    const patience = this.#patience(signal);
    const ask = (agent: Peer) => this.#calls.remove(agent, key, signal);
    let wasThere = false;
    for (let rounds = 0; ; ) {
      const { answers, failures } = await askAll(await this.#agents(), ask);
      const isThere = answers.some(({ answer }) => answer);
      wasThere ||= isThere || failures.length > 0;
      if (failures.length > 0) await patience.after(new Unknown(key, failures));
      else {
        patience.renew();
        rounds += 1;
        if (!isThere && rounds > 1) return wasThere;
      }
    }
  }

  /** Each key once, in the order of the hashed keys. What comes or goes meanwhile may be in it or not; what only moves is. */
  async *list({
    prefix,
    signal,
  }: CallOptions & { readonly prefix?: string | undefined } = {}): AsyncGenerator<BlobInfo> {
    let after: string | undefined;
    do {
      const everyone = <T>(ask: (agent: Peer) => Promise<T>) => this.#fromAll(ask, signal);
      const { items, until } = await stretchOf(this.#calls, everyone, { after, prefix });
      yield* items;
      after = until;
    } while (after !== undefined);
  }

  /** What each agent says of itself, or why it does not. */
  async status({ signal }: CallOptions = {}): Promise<Round<AgentStatus>> {
    return await askAll(await this.#agents(), (agent) => this.#calls.status(agent, signal));
  }

  [Symbol.dispose](): void {
    this.#connections?.[Symbol.dispose]();
  }

  #patience(signal: AbortSignal | undefined): Patience {
    return new Patience({ clock: this.#clock, random: this.#random, patienceMs: this.#patienceMs, signal });
  }

  async #store(agents: readonly Peer[], blob: BlobInfo, source: BlobSource, signal: AbortSignal | undefined) {
    const failures: Error[] = [];
    for (const agent of agents) {
      try {
        await this.#calls.put(agent, blob, source.open(), signal);
        return { made: true, agent: agent.name };
      } catch (error) {
        if (isLasting(error) || signal?.aborted) throw error;
        failures.push(asError(error));
      }
    }
    const notTaken = new NotTaken(blob.key, failures);
    if (failures.every(isFull)) throw notTaken;
    return notTaken;
  }

  /**
   * Along the key's order. A miss at all of them is tried once more: the blob may have moved from behind to before us. That it does so
   * twice takes two scale-downs while one call runs.
   */
  async #find<T>(key: string, ask: (agent: Peer) => Promise<T | undefined>, signal: AbortSignal | undefined) {
    checkKey(key);
    const patience = this.#patience(signal);
    for (let misses = 0; misses < 2; ) {
      const { found, failures } = await walk(orderOf(key, await this.#agents()), ask, signal);
      if (found) return found;
      if (failures.length === 0) misses += 1;
      else {
        misses = 0;
        if (failures.every(isCorrupt)) throw new Corrupt(corruptEverywhere(key, failures));
        await patience.after(new Unknown(key, failures));
      }
    }
    return undefined;
  }

  async #rest(key: string, from: Resumption, signal: AbortSignal | undefined): Promise<Download> {
    const found = await this.#find(key, (agent) => this.#calls.get(agent, key, from, signal), signal);
    if (found) return found.answer;
    throw new Corrupt(`the blob ${JSON.stringify(key)} was removed while it was read; what came of it is not all`);
  }

  /** All of them, and once more where none has it: it may have moved from an agent that was asked late to one that was asked early. */
  async #heads(agents: readonly Peer[], key: string, signal: AbortSignal | undefined) {
    const ask = () => askAll(agents, (agent) => this.#calls.head(agent, key, signal));
    const first = await ask();
    return holderOf(first.answers) || !first.failures.every(isCorrupt) ? first : await ask();
  }

  /** What all agents answer; tried again while one of them does not. */
  async #fromAll<T>(ask: (agent: Peer) => Promise<T>, signal: AbortSignal | undefined, key?: string) {
    const patience = this.#patience(signal);
    for (;;) {
      const { answers, failures } = await askAll(await this.#agents(), ask);
      if (failures.length === 0) return answers;
      await patience.after(key === undefined ? new Incomplete(failures) : new Unknown(key, failures));
    }
  }
}

/** A listing without the blobs of some agents would be taken for one of all. */
class Incomplete extends Error {
  override readonly name = 'Incomplete';

  constructor(failures: readonly Error[]) {
    super(`cannot list all blobs: ${failures.map(({ message }) => message).join('; ')}`);
  }
}

const corruptEverywhere = (key: string, failures: readonly Error[]): string =>
  `the blob ${JSON.stringify(key)} is damaged and is not served: ${failures.map(({ message }) => message).join('; ')}; ` +
  'store the same bytes anew, from where they came from';

const holderOf = (answers: Round<BlobInfo | undefined>['answers']): FoundBlob | undefined =>
  answers.flatMap(({ agent, answer }) => (answer ? { agent: agent.name, info: answer } : []))[0];

/** Who has a damaged blob mends it by the bytes that were stored, and refuses all others. */
function damagedFirst(agents: readonly Peer[], failures: readonly Error[]): readonly Peer[] {
  const damaged = new Set(failures.map((failure) => 'agent' in failure && failure.agent));
  return agents.toSorted((a, b) => Number(damaged.has(b.name)) - Number(damaged.has(a.name)));
}

/** One that is found after a try of ours whose answer was lost is ours. */
function storedBefore({ agent, info }: FoundBlob, { key, sha256 }: BlobInfo, isFirst: boolean): StoredBlob {
  if (info.sha256 !== sha256) throw new Conflict(agent, key);
  return { made: !isFirst, agent };
}

async function walk<T>(
  agents: readonly Peer[],
  ask: (agent: Peer) => Promise<T | undefined>,
  signal: AbortSignal | undefined,
): Promise<{ found?: { readonly agent: Peer; readonly answer: T }; failures: readonly Error[] }> {
  const failures: Error[] = agents.length === 0 ? [new Error('the pool has no agents')] : [];
  for (const agent of agents) {
    try {
      const answer = await ask(agent);
      if (answer !== undefined) return { found: { agent, answer }, failures };
    } catch (error) {
      if (isLasting(error) || signal?.aborted) throw error;
      failures.push(asError(error));
    }
  }
  return { failures };
}

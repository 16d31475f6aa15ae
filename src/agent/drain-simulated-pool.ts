/**
 * A pool of simulated agents on a virtual clock, with the real drain, the real fence and the real client, and a network between them that
 * delays, loses requests and answers, and delivers what the dead have sent.
 */
import type { Random } from '../kit/backoff.ts';
import { type Clock, sleep } from '../kit/clock/clock.ts';
import { silentLog } from '../kit/observe/log.ts';
import type { AgentCalls, Download, Page, Resumption, Stored } from '../pool-client/agent-calls.ts';
import { Conflict, Refused, Unreachable, Untrue } from '../pool-client/errors.ts';
import type { AgentState, AgentStatus, BlobInfo, BlobPage, DecommissionOrder, Peer } from '../pool-client/protocol.ts';
import { Drain } from './drain.ts';
import { SimulatedDisk, SimulatedStore } from './drain-simulated-store.ts';
import { type Store, StoreError } from './store.ts';

export interface World {
  readonly clock: Clock;
  readonly random: Random;
  /** How often, from 0 to 1, a request or an answer is lost. */
  lossRate: number;
  /** The longest that a request, a body or an answer is on its way. */
  longestMs: number;
}

type Act<T> = (agent: SimulatedAgent, gone: AbortSignal) => Promise<T>;

/** Whoever runs: an agent between its start and its end, or a client. */
class Life {
  isAlive = true;
  readonly #death = Promise.withResolvers<void>();
  readonly ended = this.#death.promise;

  end(): void {
    this.isAlive = false;
    this.#death.resolve();
  }
}

const FOREVER = new Promise<never>(() => {});

/** Where the agent's code goes on only as long as it lives. */
async function goOn(life: Life): Promise<void> {
  if (!life.isAlive) await FOREVER;
}

export class SimulatedAgent {
  readonly peer: Peer;
  readonly disk = new SimulatedDisk();
  readonly #world: World;
  readonly #pool: SimulatedPool;
  /** On its disk. */
  #kept: { state: AgentState; order?: DecommissionOrder | undefined } = { state: 'Ready' };
  #life = new Life();
  #store: Store | undefined;
  #drain: Drain | undefined;

  constructor(name: string, pool: SimulatedPool, world: World) {
    this.peer = { name, url: `http://${name}:8080` };
    this.#pool = pool;
    this.#world = world;
  }

  get isAlive(): boolean {
    return this.#life.isAlive;
  }

  /** Resolves when the agent that runs now does no more. */
  get ended(): Promise<void> {
    return this.#life.ended;
  }

  get state(): AgentState {
    return this.#kept.state;
  }

  get drain(): Drain {
    return this.#drain ?? never();
  }

  get store(): Store {
    return this.#store ?? never();
  }

  start(): void {
    const life = new Life();
    const { clock, random } = this.#world;
    const step = async () => {
      await goOn(life);
      if (random() < 0.5) await sleep(clock, random() * 5);
      await goOn(life);
    };
    const store = new SimulatedStore(this.disk, step);
    const drained = async () => {
      await step();
      if (this.#kept.state === 'Decommissioning') this.#kept = { ...this.#kept, state: 'Decommissioned' };
    };
    const calls = this.#pool.callsOf(life);
    this.#life = life;
    this.#store = store;
    this.#drain = new Drain({ name: this.peer.name, store, calls, clock, random, log: silentLog, drained });
    if (this.#kept.order) this.#drain.begin(this.#kept.order);
  }

  /** With its machine. */
  kill(): void {
    this.#life.end();
    this.disk.losePower(this.#world.random);
  }

  decommission(order: DecommissionOrder): void {
    this.#kept = { state: this.#kept.state === 'Decommissioned' ? 'Decommissioned' : 'Decommissioning', order };
    this.#drain?.begin(order);
  }

  async recommission(): Promise<void> {
    const life = this.#life;
    await this.#drain?.end();
    await goOn(life);
    this.#kept = { state: 'Ready' };
  }

  async put(blob: BlobInfo, body: AsyncIterable<Buffer>): Promise<Stored> {
    const life = this.#life;
    if (this.#kept.state !== 'Ready') throw this.#refused('PUT', 503, 'Draining');
    try {
      const { made, info } = await this.store.put(blob.key, body, blob);
      await goOn(life);
      if (info.sha256 !== blob.sha256) throw new Untrue(this.peer, 'PUT', 'other bytes');
      return made ? 'made' : 'same';
    } catch (error) {
      await goOn(life);
      if (!(error instanceof StoreError)) throw error;
      if (error.reason === 'Conflict') throw new Conflict(this.peer.name, blob.key);
      throw this.#refused('PUT', error.reason === 'Full' ? 507 : 409, error.reason);
    }
  }

  async get(key: string): Promise<{ readonly info: BlobInfo; readonly bytes: Buffer } | undefined> {
    const blob = await this.store.open(key).catch((error: StoreError) => {
      throw this.#refused('GET', 500, error.reason);
    });
    if (!blob) return undefined;
    const pieces: Buffer[] = [];
    try {
      for await (const piece of blob.read()) pieces.push(piece);
    } catch (error) {
      throw error instanceof StoreError ? this.#refused('GET', 500, error.reason) : error;
    }
    return { info: blob.info, bytes: Buffer.concat(pieces) };
  }

  async head(key: string): Promise<BlobInfo | undefined> {
    return (await this.store.open(key))?.info;
  }

  async remove(key: string, gone: AbortSignal, ifMatch?: string): Promise<boolean> {
    const answer = await this.drain.removeEverywhere(key, gone, ifMatch);
    if (answer === 'unknown') throw this.#refused('DELETE', 503, 'Draining');
    return answer === 'removed';
  }

  status(): AgentStatus {
    const drain = this.drain.status();
    return { name: this.peer.name, total: 1, used: 0, state: this.#kept.state, ...(drain && { drain }) };
  }

  #refused(what: string, status: number, reason: StoreError['reason']): Refused {
    return new Refused(this.peer, what, status, { reason, message: reason });
  }
}

export class SimulatedPool {
  readonly agents: SimulatedAgent[] = [];
  readonly #world: World;

  constructor(names: readonly string[], world: World) {
    this.#world = world;
    for (const name of names) this.agents.push(new SimulatedAgent(name, this, world));
    for (const agent of this.agents) agent.start();
  }

  agent(name: string): SimulatedAgent {
    return this.agents.find(({ peer }) => peer.name === name) ?? never();
  }

  callsOfClient(): AgentCalls {
    return this.callsOf(new Life());
  }

  callsOf(caller: Life): AgentCalls {
    const ask = <T>(peer: Peer, what: string, act: Act<T>, signal?: AbortSignal) =>
      this.#exchange(caller, peer, what, act, signal);
    return {
      status: (peer, signal) => ask(peer, 'GET', async (agent) => agent.status(), signal),
      head: (peer, key, signal) => ask(peer, 'HEAD', (agent) => agent.head(key), signal),
      get: (peer, key, from, signal) =>
        ask(peer, 'GET', async (agent) => this.#download(peer, await agent.get(key), from), signal),
      put: (peer, blob, body, signal) =>
        ask(peer, 'PUT', (agent, gone) => agent.put(blob, this.#arriving(caller, body, gone)), signal),
      remove: (peer, key, signal, ifMatch) =>
        ask(peer, 'DELETE', (agent, gone) => agent.remove(key, gone, ifMatch), signal),
      list: (peer, page: Page, signal): Promise<BlobPage> =>
        ask(peer, 'GET', (agent) => agent.store.list({ limit: page.limit ?? 2, ...after(page) }), signal),
    };
  }

  /** The caller goes on when it has an answer, or gives up, or loses patience; what it has asked for may happen all the same. */
  async #exchange<T>(caller: Life, peer: Peer, what: string, act: Act<T>, signal?: AbortSignal): Promise<T> {
    await goOn(caller);
    signal?.throwIfAborted();
    const { clock, longestMs } = this.#world;
    const gone = new AbortController();
    const givenUp = Promise.withResolvers<never>();
    const giveUp = (why: unknown) => {
      gone.abort();
      givenUp.reject(why);
    };
    signal?.addEventListener('abort', () => giveUp(signal.reason), { once: true });
    void caller.ended.then(() => gone.abort());
    const impatient = this.#isLost() ? this.#world.random() * longestMs : 10 * longestMs;
    const cancel = clock.after(impatient, () => giveUp(new Unreachable(peer, what, 'no answer in time')));
    try {
      return await Promise.race([this.#carry(peer, what, act, gone.signal), givenUp.promise]);
    } finally {
      cancel();
      await goOn(caller);
    }
  }

  async #carry<T>(peer: Peer, what: string, act: Act<T>, gone: AbortSignal): Promise<T> {
    await this.#delay();
    const agent = this.agent(peer.name);
    if (gone.aborted || !agent.isAlive || this.#isLost()) throw new Unreachable(peer, what, 'connection refused');
    const died = agent.ended.then(() => {
      throw new Unreachable(peer, what, 'connection reset');
    });
    const answer = await Promise.race([act(agent, gone), died]);
    await this.#delay();
    if (this.#isLost()) throw new Unreachable(peer, what, 'the answer was lost');
    return answer;
  }

  /** What was sent to the last byte arrives, even if its sender is dead by then; what was not is no body. */
  async *#arriving(caller: Life, body: AsyncIterable<Buffer>, gone: AbortSignal): AsyncGenerator<Buffer> {
    const sent: Buffer[] = [];
    const cut = new Promise<never>((_, reject) => {
      gone.addEventListener('abort', () => reject(new Error('connection reset')), { once: true });
    });
    cut.catch(() => {});
    const sending = body[Symbol.asyncIterator]();
    for (;;) {
      if (!caller.isAlive || gone.aborted) throw new Error('connection reset');
      const next = await Promise.race([sending.next(), cut]);
      if (next.done) break;
      sent.push(next.value);
    }
    await this.#delay();
    yield* sent;
  }

  #download(
    peer: Peer,
    found: { readonly info: BlobInfo; readonly bytes: Buffer } | undefined,
    from: Resumption | undefined,
  ): Download | undefined {
    if (!found) return undefined;
    const breaksOff = this.#isLost();
    const rest = found.bytes.subarray(from?.start ?? 0);
    const pieces = async function* () {
      yield rest.subarray(0, Math.ceil(rest.length / 2));
      if (breaksOff) throw new Unreachable(peer, 'GET', 'connection reset');
      yield rest.subarray(Math.ceil(rest.length / 2));
    };
    return { info: found.info, body: pieces() };
  }

  #isLost(): boolean {
    return this.#world.random() < this.#world.lossRate;
  }

  async #delay(): Promise<void> {
    const { clock, random, longestMs } = this.#world;
    // Most are quick and some are very late.
    const ms = random() < 0.9 ? random() * 5 : random() * longestMs;
    await sleep(clock, ms);
  }
}

const after = ({ continue: token, prefix }: Page) => ({ ...(token && { after: token }), ...(prefix && { prefix }) });

const never = (): never => {
  throw new Error('there is no such agent');
};

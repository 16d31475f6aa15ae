/** Makes one pool right: looks at it, decides, writes down what must not be forgotten, and carries out what rests on that. */

import { isDeepStrictEqual } from 'node:util';
import { OwnWrites } from '../kit/cache/own-writes.ts';
import { after, done, type Outcome, Retry } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { ApiError, hasReason } from '../kit/kube/api-error.ts';
import type { Agents } from './agents.ts';
import { setReplicas, type Write, type Written, write, writeStatus } from './apply.ts';
import type { Operation, PvPool, PvPoolStatus } from './contract.ts';
import { decide } from './decide.ts';
import { type LookParts, look, lookAgain, type Sight } from './look.ts';
import { PoolMemory } from './memory.ts';
import { type Action, isKept, type Plan } from './plan.ts';
import { type Note, note } from './reasons.ts';
import type { Report } from './report.ts';
import type { Seen } from './seen.ts';
import { isAtRest, statusOf, withFailure } from './status.ts';

/** As the original does it. */
const RESTLESS_MS = 3_000;
const AT_REST_MS = 60_000;
/** Until the cache shows what we wrote. */
const CATCH_UP_MS = 200;

export interface ReconcileParts extends LookParts {
  readonly agents: Agents;
  readonly report: Report;
  /** So many random bytes, in hexadecimal digits. */
  readonly secret: (bytes: number) => string;
}

type OrderAction = Extract<Action, { do: 'order' }>;
type DropAction = Extract<Action, { do: 'drop' }>;

export class Reconciler {
  readonly #parts: ReconcileParts;
  readonly #memories = new Map<string, PoolMemory>();
  readonly #ownPools: OwnWrites;
  readonly #ownSets: OwnWrites;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
    this.#ownPools = new OwnWrites(parts.views.pools, parts.clock);
    this.#ownSets = new OwnWrites(parts.views.sets, parts.clock);
  }

  async reconcile(key: string, { signal }: ReconcileContext): Promise<Outcome> {
    const { views, report } = this.#parts;
    const pool = views.pools.get(key);
    if (!pool) {
      this.#memories.delete(key);
      report.gone(key);
      return done;
    }
    if (this.#ownPools.isAheadOfCache(key) || this.#ownSets.isAheadOfCache(`${key}-sts`)) return after(CATCH_UP_MS);
    return new Visit(this.#parts, this.#memoryOf(key, pool), signal, (written) => this.#note(key, written)).make(pool);
  }

  #memoryOf(key: string, { metadata: { uid = '' } }: PvPool): PoolMemory {
    const known = this.#memories.get(key);
    if (known?.uid === uid) return known;
    const memory = new PoolMemory(uid);
    this.#memories.set(key, memory);
    return memory;
  }

  #note(key: string, { pool, set }: Written): void {
    if (pool) this.#ownPools.note(key, pool);
    if (set) this.#ownSets.note(`${key}-sts`, set);
  }
}

/** One look at one pool, and what follows from it. */
class Visit {
  readonly #parts: ReconcileParts;
  readonly #memory: PoolMemory;
  readonly #signal: AbortSignal;
  readonly #note: (written: Written) => void;
  /** The pool as we have written it ourselves in this visit: its version is not the one that was seen. */
  #written: PvPool | undefined;

  constructor(parts: ReconcileParts, memory: PoolMemory, signal: AbortSignal, note: (written: Written) => void) {
    this.#parts = parts;
    this.#memory = memory;
    this.#signal = signal;
    this.#note = note;
  }

  async make(pool: PvPool): Promise<Outcome> {
    const { clock } = this.#parts;
    if (pool.metadata.deletionTimestamp) return done; // what belongs to it goes by itself
    const sight = await look(this.#parts, pool, this.#memory, this.#signal);
    const plan = decide(sight.seen);
    const result = isKept(plan, pool) ? await this.#carryOut(sight, plan) : { notes: [], failure: undefined };
    this.#memory.saw(sight.seen, plan, clock.monotonic());
    const told = { ...plan, notes: [...result.notes, ...plan.notes] };
    const status = await this.#tell(
      sight.seen,
      result.failure === undefined ? told : withFailure(told, inWords(result.failure)),
    );
    if (result.failure !== undefined) throw result.failure;
    if (!isKept(plan, pool)) {
      this.#parts.report.kept(pool, plan);
      return after(CATCH_UP_MS);
    }
    // A wait of the autoscaling is a matter of seconds, whatever the pool is at otherwise.
    return after(isAtRest(status) && plan.pressure === undefined ? AT_REST_MS : RESTLESS_MS);
  }

  /** Written only if it says something new. */
  async #tell(seen: Seen, plan: Plan): Promise<PvPoolStatus> {
    const { client, report } = this.#parts;
    const { pool } = seen;
    const timeToFull = this.#memory.timeToFull(pool.status?.forecast?.timeToFull);
    const status = statusOf(seen, plan, { timeToFull });
    report.saw(pool, status, plan.notes, this.#memory.moved(seen));
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(status)), pool.status)) return status;
    this.#note({ pool: await writeStatus({ client, signal: this.#signal }, this.#written ?? pool, status) });
    return status;
  }

  /** Nothing more is done after a failure. What the world has changed meanwhile is looked at anew, and nobody is told of it. */
  async #carryOut(sight: Sight, { actions }: Plan): Promise<{ notes: readonly Note[]; failure: unknown }> {
    const notes: Note[] = [];
    try {
      const orders = actions.filter((action) => action.do === 'order');
      if (orders.length > 0) notes.push(...(await this.#order(sight, orders)));
      for (const action of actions) if (action.do !== 'order') await this.#do(sight, action);
      return { notes, failure: undefined };
    } catch (error) {
      if (isPassing(error)) throw error;
      return { notes, failure: error };
    }
  }

  async #do(sight: Sight, action: Write | DropAction): Promise<void> {
    const { client, secret, report } = this.#parts;
    if (action.do === 'drop') return this.#drop(sight, action);
    if (action.do === 'deleteClaim') await this.#isStill(sight, isDeletionOf(action.claim.uid));
    const written = await write({ client, secret, signal: this.#signal }, sight.seen, action);
    this.#note(written);
    if (written.pool) this.#written = written.pool;
    report.did(sight.seen.pool, action);
  }

  /**
   * Agents are told only by who leads, and who goes by the pool as it is now: the server is asked both by a write that stores nothing.
   * An order from the past would be refused for its generation by our agents, but not by those of others.
   */
  async #order({ seen, token }: Sight, orders: readonly OrderAction[]): Promise<readonly Note[]> {
    const { client, agents, report } = this.#parts;
    await writeStatus({ client, signal: this.#signal }, seen.pool, seen.pool.status, true);
    const notes = orders.map(async (action): Promise<readonly Note[]> => {
      const { to, order } = action;
      const answer = await agents.order(to, token, order, this.#signal);
      if (!answer.known)
        return [note('OrderWasRefused', `the agent ${to.name} did not take the order to ${order.kind}: ${answer.why}`)];
      this.#memory.took(to.podUid, order);
      report.did(seen.pool, action);
      return [];
    });
    return (await Promise.all(notes)).flat();
  }

  /** What cannot be taken back is done only if a second look, at the API itself, leads to the very same. */
  async #isStill({ seen }: Sight, isSame: (action: Action) => boolean): Promise<Sight> {
    const again = await lookAgain(this.#parts, seen, this.#memory, this.#signal);
    if (decide(again.seen).actions.some(isSame)) return again;
    throw new Retry('a second look, before what cannot be taken back, has shown something else');
  }

  async #drop(sight: Sight, action: DropAction): Promise<void> {
    const { client, secret, report } = this.#parts;
    const { operation } = action;
    const again = await this.#isStill(sight, isDropOf(operation));
    const writes = { client, secret, signal: this.#signal };
    this.#note({ set: await setReplicas(writes, again.seen, operation.from, operation.to) });
    report.did(sight.seen.pool, action);
  }
}

const isDropOf = (operation: Operation) => (action: Action) =>
  action.do === 'drop' && isDeepStrictEqual(action.operation, operation);
const isDeletionOf = (claimUid: string) => (action: Action) =>
  action.do === 'deleteClaim' && action.claim.uid === claimUid;

/** What the server says about what was asked of it is told to people. What passes by itself, or is our own defect, is not. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status >= 500 || PASSING.some((reason) => hasReason(error, reason));

const PASSING = ['Conflict', 'NotFound', 'TooManyRequests'] as const;

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

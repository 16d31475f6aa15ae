/**
 * For tests: an object store in memory on an injected clock, with as many clients as there are clusters, a history of all writes, and
 * faults. Where real stores differ it does what is hardest on its callers: ETags are those of the content, times are whole seconds.
 */
import { createHash } from 'node:crypto';
import { aborted } from '../../kit/clock/aborted.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { orAborted } from '../../kit/clock/or-aborted.ts';
import { type Attempt, failure } from './failure.ts';
import { byBytes, conditionHolds } from './rules.ts';
import {
  matchesCall,
  type Occurrence,
  type SimulatedFault,
  SimulatedRule,
  type StoreCall,
  type StoreMatch,
} from './simulated-faults.ts';
import type { GetOptions, Got, Head, Listed, ObjectStore, PutOptions, StoreFault } from './store.ts';

/** A write that happened, whether or not its writer heard of it. */
export interface Write {
  readonly at: Date;
  readonly who: string;
  readonly key: string;
  /** Nothing when it was removed. */
  readonly body: Buffer | undefined;
  readonly condition: PutOptions['condition'];
}

interface Stored {
  readonly body: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
}

type Contents = ReadonlyMap<string, Stored>;

const PAGE = 1000;
const DESCRIPTION = 'the simulated store';

export class SimulatedStore {
  /** Every write that happened, in order. */
  readonly history: Write[] = [];
  /** Every call that was made, whatever became of it. */
  readonly calls: StoreCall[] = [];
  readonly #clock: Clock;
  readonly #objects = new Map<string, Stored>();
  #rules: SimulatedRule[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The store as a client sees it. Its writes are in the history under this name. */
  as(who: string): ObjectStore {
    return new SimulatedClient(this, who);
  }

  /** Of several faults that are due at one call the first one is taken; each counts the call. */
  inject(match: StoreMatch & Occurrence, fault: SimulatedFault): SimulatedRule {
    const rule = new SimulatedRule(match, fault);
    this.#rules.push(rule);
    return rule;
  }

  remove(rule: SimulatedRule): void {
    this.#rules = this.#rules.filter((other) => other !== rule);
  }

  /** From now on nothing fails any more. What hangs goes on hanging. */
  heal(): void {
    this.#rules = [];
  }

  count(match: StoreMatch = {}): number {
    return this.calls.filter((call) => matchesCall(match, call)).length;
  }

  keys(prefix = ''): string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort(byBytes);
  }

  body(key: string): Buffer | undefined {
    return this.#objects.get(key)?.body;
  }

  /** Puts it there, or takes it away, behind everybody's back: by a person, an attacker, or another program. */
  write(key: string, body: Uint8Array | string | undefined, by: Partial<Pick<Write, 'who' | 'condition'>> = {}): void {
    const at = this.#clock.now();
    const content = body === undefined ? undefined : Buffer.from(body);
    this.history.push({ at, who: by.who ?? 'somebody else', key, body: content, condition: by.condition });
    if (content === undefined) this.#objects.delete(key);
    else this.#objects.set(key, stored(content, at));
  }

  /** One call by a client: counts it, and lets the fault that is due there happen to it. */
  async call<T>(who: string, attempt: Attempt, verb: StoreCall['verb'], options: Work<T>): Promise<T> {
    const { signal, work } = options;
    signal.throwIfAborted();
    const call = { who, verb, key: attempt.key, at: this.#clock.now() };
    this.calls.push(call);
    const fault = this.#rules.filter((rule) => rule.strikes(call))[0]?.fault;
    await this.#before(fault, attempt, signal);
    const result = work(this.#seen(fault), fault);
    if (fault?.kind === 'lost-reply') throw broken('unavailable', attempt);
    return result;
  }

  async #before(fault: SimulatedFault | undefined, attempt: Attempt, signal: AbortSignal): Promise<void> {
    await Promise.resolve();
    if (fault?.kind === 'hang') await aborted(signal);
    if (fault?.kind === 'delay') await this.#wait(fault.until, signal);
    signal.throwIfAborted();
    if (fault?.kind === 'fail') throw broken(fault.as ?? 'unavailable', attempt);
  }

  async #wait(until: number | Promise<unknown>, signal: AbortSignal): Promise<void> {
    if (typeof until === 'number') return await sleep(this.#clock, until, signal);
    await orAborted(signal, until);
  }

  #seen(fault: SimulatedFault | undefined): Contents {
    if (fault?.kind !== 'stale') return this.#objects;
    const until = this.#clock.now().getTime() - fault.behindMs;
    const contents = new Map<string, Stored>();
    for (const { at, key, body } of this.history) {
      if (at.getTime() > until) continue;
      if (body === undefined) contents.delete(key);
      else contents.set(key, stored(body, at));
    }
    return contents;
  }
}

interface Work<T> {
  readonly signal: AbortSignal;
  readonly work: (contents: Contents, fault: SimulatedFault | undefined) => T;
}

class SimulatedClient implements ObjectStore {
  readonly description = DESCRIPTION;
  readonly #store: SimulatedStore;
  readonly #who: string;

  constructor(store: SimulatedStore, who: string) {
    this.#store = store;
    this.#who = who;
  }

  get(key: string, { signal, ifNoneMatch, most }: GetOptions): Promise<Got> {
    const attempt = this.#attempt('read', key);
    return this.#store.call(this.#who, attempt, 'get', {
      signal,
      work(contents, fault): Got {
        const object = contents.get(key);
        if (object === undefined) return { kind: 'missing' };
        if (object.etag === ifNoneMatch) return { kind: 'unchanged' };
        const body = seenBody(object.body, fault);
        if (body.length > most) throw failure('tooLarge', attempt, `it is longer than ${most} bytes`);
        return { kind: 'found', body, etag: object.etag, modifiedAt: object.modifiedAt };
      },
    });
  }

  head(key: string, { signal }: { readonly signal: AbortSignal }): Promise<Head | undefined> {
    return this.#store.call(this.#who, this.#attempt('look at', key), 'head', {
      signal,
      work(contents) {
        const object = contents.get(key);
        return object && { etag: object.etag, size: object.body.length, modifiedAt: object.modifiedAt };
      },
    });
  }

  put(key: string, body: Uint8Array, { signal, condition }: PutOptions): Promise<{ readonly etag: string }> {
    const attempt = this.#attempt('write', key);
    const content = Buffer.from(body);
    return this.#store.call(this.#who, attempt, 'put', {
      signal,
      work: (contents, fault) => {
        const holds = fault?.kind === 'no-conditions' || conditionHolds(contents.get(key)?.etag, condition);
        if (!holds) throw failure('preconditionFailed', attempt, 'it is not what it was');
        this.#store.write(key, content, { who: this.#who, condition });
        return { etag: etagOf(content) };
      },
    });
  }

  /** As with real stores, each page is a request of its own and shows what is there by then. */
  async *list(prefix: string, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<Listed> {
    let after: string | undefined;
    do {
      const from: string | undefined = after;
      const page: Listed[] = await this.#store.call(this.#who, this.#attempt('list', prefix), 'list', {
        signal,
        work: (contents) => pageOf(contents, prefix, from),
      });
      yield* page;
      after = page.length === PAGE ? page.at(-1)?.key : undefined;
    } while (after !== undefined);
  }

  remove(key: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    return this.#store.call(this.#who, this.#attempt('remove', key), 'remove', {
      signal,
      work: (contents) => {
        if (contents.has(key)) this.#store.write(key, undefined, { who: this.#who });
      },
    });
  }

  async close(): Promise<void> {}

  #attempt(doing: Attempt['doing'], key: string): Attempt {
    return { doing, key, where: this.description };
  }
}

function seenBody(body: Buffer, fault: SimulatedFault | undefined): Buffer {
  if (fault?.kind === 'torn') return Buffer.from(body.subarray(0, fault.bytes));
  return Buffer.from(fault?.kind === 'tampered' ? fault.change(Buffer.from(body)) : body);
}

function pageOf(contents: Contents, prefix: string, after: string | undefined): Listed[] {
  return [...contents]
    .filter(([key]) => key.startsWith(prefix) && (after === undefined || byBytes(key, after) > 0))
    .sort(([a], [b]) => byBytes(a, b))
    .slice(0, PAGE)
    .map(([key, { body, modifiedAt }]) => ({ key, size: body.length, modifiedAt }));
}

const stored = (body: Buffer, at: Date): Stored => ({ body, etag: etagOf(body), modifiedAt: wholeSeconds(at) });

const etagOf = (body: Uint8Array): string => `"${createHash('md5').update(body).digest('hex')}"`;

const wholeSeconds = (at: Date): Date => new Date(Math.floor(at.getTime() / 1000) * 1000);

const broken = (fault: StoreFault, attempt: Attempt) => failure(fault, attempt, 'the test wanted it to fail');

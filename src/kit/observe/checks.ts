/** Questions that tell whether the process is well, by name. One that throws or does not answer is a failed one. */
import type { Clock } from '../clock/clock.ts';

/** What is wrong, in a sentence or several; nothing, or none of them, when all is well. */
type Fault = string | readonly string[] | undefined;
export type Check = () => Fault | Promise<Fault>;

/** A process that is not alive should be started anew; one that is not ready should be left alone until it is. */
export type Kind = 'live' | 'ready';

export interface CheckResult {
  readonly name: string;
  /** Absent when all is well. */
  readonly fault?: string;
}

/** Shorter than the second that a kubelet waits by default, so that it hears which check it was. */
const TIMEOUT_MS = 800;

interface Registered {
  readonly kind: Kind;
  readonly check: Check;
  /** A run that has not ended yet. It is asked no second time, so that a hanging check does not pile up. */
  running?: Promise<CheckResult>;
}

export class Checks {
  readonly #clock: Clock;
  readonly #checks = new Map<string, Registered>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.add('ping', 'live', () => undefined);
  }

  add(name: string, kind: Kind, check: Check): void {
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new Error(`"${name}" cannot be part of a path as a check's name is`);
    if (this.#checks.has(name)) throw new Error(`there is a check named "${name}" already`);
    this.#checks.set(name, { kind, check });
  }

  /** What belongs to a kind, in order of name. Whoever is not alive is not ready either. */
  names(kind: Kind): readonly string[] {
    const belongs = ([, each]: [string, Registered]) => kind === 'ready' || each.kind === 'live';
    return [...this.#checks]
      .filter(belongs)
      .map(([name]) => name)
      .sort();
  }

  /** All of them at the same time. */
  async run(names: readonly string[]): Promise<readonly CheckResult[]> {
    return Promise.all(names.map((name) => this.#runOne(name)));
  }

  #runOne(name: string): Promise<CheckResult> {
    const registered = this.#checks.get(name);
    if (!registered) return Promise.resolve({ name, fault: 'there is no such check' });
    registered.running ??= answer(name, registered.check).finally(() => delete registered.running);
    return this.#withinTime(name, registered.running);
  }

  #withinTime(name: string, answered: Promise<CheckResult>): Promise<CheckResult> {
    const { promise, resolve } = Promise.withResolvers<CheckResult>();
    const late = { name, fault: `no answer within ${TIMEOUT_MS / 1000} s` };
    const cancel = this.#clock.after(TIMEOUT_MS, () => resolve(late));
    void answered.then(resolve).finally(cancel);
    return promise;
  }
}

/** Never rejects. */
async function answer(name: string, check: Check): Promise<CheckResult> {
  try {
    const fault = await check();
    const sentences = (typeof fault === 'string' ? [fault] : (fault ?? [])).map(onOneLine);
    return sentences.length === 0 ? { name } : { name, fault: sentences.join('; ') };
  } catch (error) {
    return { name, fault: onOneLine(`it could not be told: ${error instanceof Error ? error.message : error}`) };
  }
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim() || 'it failed without a word';

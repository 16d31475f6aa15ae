/** What was refused in a turn without that the rest of it has to wait: it is told when all else is done. */
import { Refuse } from '../kit/controller/outcome.ts';
import type { Matter } from './steps.ts';

export class PutOff {
  readonly #refusals = new Map<Matter | 'keys', Refuse>();

  /** What is left alone. An encrypted volume cannot grow without a key that opens it. */
  get matters(): ReadonlySet<Matter> {
    return new Set([...this.#refusals.keys()].map((what) => (what === 'keys' ? 'growth' : what)));
  }

  has(what: Matter | 'keys'): boolean {
    return this.#refusals.has(what);
  }

  /** Throws what is no refusal, what nothing can go on without, and what has been put off already. */
  orThrow(error: unknown, what: Matter | 'keys' | undefined): void {
    if (!(error instanceof Refuse) || what === undefined || this.has(what)) throw error;
    this.#refusals.set(what, error);
  }

  /** All of them as one, each with what can be done about it. */
  get refusal(): Refuse | undefined {
    const [first, ...others] = this.#refusals.values();
    if (!first || others.length === 0) return first;
    const { fact, remedy } = first;
    const message = [...others.map((each) => each.message), withoutRemedy(first)].join('; ');
    return new Refuse({
      fact,
      message,
      remedy,
      recheckMs: Math.min(first.recheckMs, ...others.map((each) => each.recheckMs)),
    });
  }
}

const withoutRemedy = ({ message, fact, remedy }: Refuse): string =>
  message.slice(0, message.lastIndexOf(` (${fact}). ${remedy}`));

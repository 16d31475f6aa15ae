/** What goes wrong on a simulated machine, and when. */
import type { Operation } from './operation.ts';

export type Fault =
  /** It fails and nothing has happened. Without an error it fails as if the hardware had. */
  | { readonly kind: 'fail'; readonly error?: Error }
  /** It happens, and yet it is said to have failed. What changes nothing just fails. */
  | { readonly kind: 'fail-after'; readonly error?: Error }
  /** It never answers. A command ends by its timeout. */
  | { readonly kind: 'hang' }
  /** It takes this long before it happens. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** It happens, and the calling process is stopped before it hears of it, until the promise is settled. */
  | { readonly kind: 'stop'; readonly until: () => Promise<void> }
  /** The calling process is killed before it happens. */
  | { readonly kind: 'crash-before' }
  /** The calling process is killed after it happened and before it hears of it. */
  | { readonly kind: 'crash-after' };

interface Rule {
  readonly matches: (operation: Operation, call: number) => boolean;
  readonly fault: Fault;
  left: number;
}

export class Faults {
  #calls = 0;
  #rules: Rule[] = [];
  #decide: (operation: Operation) => Fault | undefined = () => undefined;

  /** How many operations there have been. Run once undisturbed, and each number up to this one is a place for a fault. */
  get calls(): number {
    return this.#calls;
  }

  /** Strikes the n-th operation, the first being 1. */
  at(call: number, fault: Fault): void {
    this.#rules.push({ matches: (_, current) => current === call, fault, left: 1 });
  }

  /** Strikes the next operations that match: one, or as many as told. */
  when(matches: (operation: Operation) => boolean, fault: Fault, times = 1): void {
    this.#rules.push({ matches, fault, left: times });
  }

  /** Asked for each operation, before all rules, what goes wrong with it. */
  decideBy(decide: (operation: Operation) => Fault | undefined): void {
    this.#decide = decide;
  }

  clear(): void {
    this.#rules = [];
  }

  /** Counts the operation and gives the first fault that is meant for it. */
  strike(operation: Operation): Fault | undefined {
    this.#calls += 1;
    const decided = this.#decide(operation);
    if (decided) return decided;
    const rule = this.#rules.find(({ left, matches }) => left > 0 && matches(operation, this.#calls));
    if (rule) rule.left -= 1;
    return rule?.fault;
  }
}

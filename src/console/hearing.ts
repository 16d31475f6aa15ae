/** How well a cluster is heard, from what becomes of its collections. */
import type { ReflectorState } from '../kit/cache/reflector-state.ts';
import type { Cancel, Clock } from '../kit/clock/clock.ts';
import type { Connection } from './model.ts';

/** A watch that is broken for less is no news. */
const PATIENCE_MS = 1_500;

export class Hearing {
  readonly #clock: Clock;
  readonly #onChange: (connection: Connection) => void;
  readonly #broken = new Map<string, string>();
  readonly #denied = new Map<string, string>();
  readonly #unread = new Set<string>();
  #connection: Connection;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, onChange: (connection: Connection) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#connection = { isHeard: false, since: clock.now().toISOString(), why: 'the cluster has not answered yet' };
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Why it may not be read, if that is so. */
  whyNot(resource: string): string | undefined {
    const denied = this.#denied.get(resource);
    return denied === undefined ? this.#broken.get(resource) : denied;
  }

  note(resource: string, state: ReflectorState): void {
    if (state.is === 'listing' && !this.#denied.has(resource) && !this.#broken.has(resource))
      this.#unread.add(resource);
    if (state.is === 'resting') this.#broken.set(resource, state.why);
    if (state.is === 'denied') this.#denied.set(resource, state.why);
    if (state.is === 'watching' || state.is === 'denied') this.#broken.delete(resource);
    if (state.is === 'watching') this.#denied.delete(resource);
    if (state.is === 'watching' || state.is === 'denied') this.#unread.delete(resource);
    this.#judge();
  }

  close(): void {
    this.#cancel?.();
  }

  #judge(): void {
    const isWell = this.#broken.size === 0;
    if (isWell && this.#unread.size === 0) {
      this.#cancel?.();
      this.#cancel = undefined;
      if (!this.#connection.isHeard) this.#set({ isHeard: true, since: this.#now() });
    } else if (!isWell && this.#connection.isHeard) {
      const since = this.#now();
      this.#cancel ??= this.#clock.after(PATIENCE_MS, () => this.#silent(since));
    }
  }

  #silent(since: string): void {
    this.#cancel = undefined;
    const [why] = this.#broken.values();
    if (why !== undefined) this.#set({ isHeard: false, since, why });
  }

  #set(connection: Connection): void {
    this.#connection = connection;
    this.#onChange(connection);
  }

  #now(): string {
    return this.#clock.now().toISOString();
  }
}

/** What the controllers of the world tell people, as Events. The same about the same object is told once in the time that Events are kept. */
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';
import { EVENTS } from '../../kit/observe/event.ts';
import { referenceTo } from '../../kit/observe/reference.ts';
import { Refusal } from '../server/refusals.ts';
import type { WorldParts } from './upkeep.ts';

interface Telling {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  readonly action?: string;
}

/** As the API server has it: an Event is forgotten so long after it was last written. */
export const KEPT_MS = 3_600_000;

export class Told {
  readonly #parts: WorldParts;
  readonly #by: string;
  readonly #lately = new Set<string>();

  constructor(parts: WorldParts, by: string) {
    this.#parts = parts;
    this.#by = by;
  }

  tell(resource: Resource, about: KubeObject, telling: Telling): void {
    const id = `${about.metadata.uid} ${telling.reason} ${telling.note}`;
    if (this.#lately.has(id)) return;
    this.#lately.add(id);
    this.#parts.clock.after(KEPT_MS, () => this.#lately.delete(id));
    try {
      this.#create(resource, about, telling);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // its namespace is going: nobody will ask
    }
  }

  #create(resource: Resource, about: KubeObject, { type, reason, note, action = reason }: Telling): void {
    const { objects, clock, random } = this.#parts;
    const { name = '', namespace = 'default' } = about.metadata;
    const suffix = Math.floor(random() * 2 ** 48).toString(16);
    objects.create(EVENTS, {
      metadata: { name: `${name}.${suffix}`, namespace },
      eventTime: clock.now().toISOString().replace('Z', '000Z'),
      type,
      reason,
      note,
      action,
      reportingController: this.#by,
      reportingInstance: `${this.#by}-sandbox`,
      regarding: referenceTo(resource, about),
    });
  }
}

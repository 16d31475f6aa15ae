/** What has a say in writes besides the kind itself: the place that an object goes to, and policies. */
import type { ApiObject } from '../api-object.ts';
import type { Target, WriteRequest } from './target.ts';

export interface Admitted {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly target: Target;
  readonly object?: ApiObject;
  readonly old?: ApiObject;
  readonly request: WriteRequest;
}

export interface AdmissionPlugin {
  /** Gives back the object as it should be. */
  readonly mutate?: (asked: Admitted & { readonly object: ApiObject }) => ApiObject;
  /** Throws a `Refusal` when it may not be. */
  readonly check?: (asked: Admitted) => void;
}

export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  mutated(asked: Admitted & { readonly object: ApiObject }): ApiObject {
    let { object } = asked;
    for (const { mutate } of this.#plugins) if (mutate) object = mutate({ ...asked, object });
    return object;
  }

  admit(asked: Admitted): void {
    for (const { check } of this.#plugins) check?.(asked);
  }
}

/** How a reconcile ends: with one of two results, or with one of four errors that say what has to happen before the next try. */

export type Outcome = Done | After;

/** All is as it should be; the next event brings the key back. */
export interface Done {
  readonly kind: 'done';
}

/** All is well for now; look again after this long. */
export interface After {
  readonly kind: 'after';
  readonly ms: number;
}

export const done: Done = { kind: 'done' };

export function after(ms: number): After {
  if (Number.isNaN(ms)) throw new RangeError('a key cannot come again after a time that is not a number');
  return { kind: 'after', ms };
}

/** Something failed that may well succeed soon: tried again, after longer and longer pauses. */
export class Retry extends Error {
  override readonly name = 'Retry';
}

/** Something observable has to happen first. Its event brings the key back; `recheckMs` is for the event that gets lost. */
export class Wait extends Error {
  override readonly name = 'Wait';
  readonly recheckMs: number;

  constructor(message: string, recheckMs = 300_000) {
    super(message);
    this.recheckMs = recheckMs;
  }
}

/** It cannot succeed as it is written. Nothing is tried until somebody changes the object. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
}

/** Going on would be unsafe. A person must act: the error names the violated fact and the remedy. */
export class Refuse extends Error {
  override readonly name = 'Refuse';
  /** The fact that forbids it, as a name that can be searched for: `deviceIsMounted`. */
  readonly fact: string;
  readonly remedy: string;
  /** How soon to look whether the fact still holds. */
  readonly recheckMs: number;

  constructor(refusal: {
    readonly fact: string;
    readonly message: string;
    readonly remedy: string;
    readonly recheckMs?: number;
  }) {
    super(`${refusal.message} (${refusal.fact}). ${refusal.remedy}`);
    this.fact = refusal.fact;
    this.remedy = refusal.remedy;
    this.recheckMs = refusal.recheckMs ?? 300_000;
  }
}

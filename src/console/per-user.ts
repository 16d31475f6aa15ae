/** How many of something each user has at a time, and no more than may be. */

export class PerUser {
  readonly #most: number;
  /** Only those who have any. */
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A place, with how to give it back, which counts once; nothing if they have as many as may be. */
  place(user: string): (() => void) | undefined {
    const taken = this.#taken.get(user) ?? 0;
    if (taken >= this.#most) return undefined;
    this.#taken.set(user, taken + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#giveBack(user);
      isTaken = false;
    };
  }

  #giveBack(user: string): void {
    const left = (this.#taken.get(user) ?? 1) - 1;
    if (left > 0) this.#taken.set(user, left);
    else this.#taken.delete(user);
  }
}

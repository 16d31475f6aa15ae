/** Whether the tests find a bug. Tests that fail by themselves find none: what fails with the bug has to pass without it. */
export interface Selection {
  readonly how: 'run' | 'related';
  readonly project: 'unit' | 'simulation';
  readonly files: readonly string[];
}

/** The sources, in which one file can have a bug, and the tests that are run on them. */
export interface Bench {
  put(bug: { readonly file: string; readonly source: string }): void;
  takeOut(): void;
  pass(selection: Selection): boolean;
}

export class FailsWithoutABug extends Error {
  constructor({ how, project, files }: Selection) {
    super(
      `the tests fail without a bug, too, so nothing that they find is one: see why with vitest ${how} --run --project ${project} ${files.join(' ')}`,
    );
  }
}

export class Trials {
  readonly #bench: Bench;
  /** Each is asked once: it costs as much as a bug. */
  readonly #sound = new Set<string>();

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** By one selection after another, until one fails. */
  isFound(bug: { readonly file: string; readonly source: string }, selections: readonly Selection[]): boolean {
    this.#bench.put(bug);
    try {
      const failed = selections.find((selection) => !this.#bench.pass(selection));
      if (!failed) return false;
      this.#bench.takeOut();
      this.#requireSound(failed);
      return true;
    } finally {
      this.#bench.takeOut();
    }
  }

  #requireSound(selection: Selection): void {
    const key = JSON.stringify(selection);
    if (this.#sound.has(key)) return;
    if (!this.#bench.pass(selection)) throw new FailsWithoutABug(selection);
    this.#sound.add(key);
  }
}

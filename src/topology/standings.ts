/** How each volume stands, as it was last looked at: for the gauges, and so that people are told of a trouble once and not at every look. */
import type { Fact } from './reasons.ts';

export interface Standing {
  readonly uid: string;
  /** Whether it carries a zone or a region. */
  readonly isLabelled: boolean;
  /** Why it is as it is. */
  readonly because: Fact | 'written' | 'writeFailed' | 'contested' | 'dryRun';
  /** What people were told about it, where they were. */
  readonly told?: string | undefined;
}

export class Standings {
  readonly #standings = new Map<string, Standing>();

  /** Whether it stands otherwise than before. */
  note(volume: string, standing: Standing): boolean {
    const before = this.#standings.get(volume);
    this.#standings.set(volume, standing);
    if (before?.uid !== standing.uid) return true;
    return before.because !== standing.because || before.told !== standing.told;
  }

  /** As it was last looked at; another volume of that name is not meant. */
  of(volume: string, uid: string): Standing | undefined {
    const standing = this.#standings.get(volume);
    return standing?.uid === uid ? standing : undefined;
  }

  forget(volume: string): void {
    this.#standings.delete(volume);
  }

  values(): Iterable<Standing> {
    return this.#standings.values();
  }
}

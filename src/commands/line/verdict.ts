/** What a command has found of the things that it shows, for a script that asks by `--exit-code`. */
export type Verdict = 'well' | 'needs a person' | 'unknown';

/** All was shown as it was asked for, and not all of it is well: the program ends with a code of its own. */
export class NotWell extends Error {
  override readonly name = 'NotWell';
  readonly found: Exclude<Verdict, 'well'>;

  constructor(found: Exclude<Verdict, 'well'>) {
    super(found);
    this.found = found;
  }
}

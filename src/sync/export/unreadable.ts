/** The one error for an export that cannot be read. Nothing may be concluded from such an export, least of all that objects are gone. */

export type UnreadableFact =
  | 'exportIsEmpty'
  /** It ends in the middle. */
  | 'exportIsTruncated'
  /** It is something else than an export. */
  | 'exportIsForeign'
  | 'exportIsMalformed'
  | 'exportIsTooLarge';

export class ExportIsUnreadable extends Error {
  override readonly name = 'ExportIsUnreadable';
  readonly fact: UnreadableFact;

  constructor(fact: UnreadableFact, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fact = fact;
  }
}

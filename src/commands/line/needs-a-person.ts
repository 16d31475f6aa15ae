/** All was shown as it was asked for, and something of it needs a person: with `--exit-code` the program ends with 3. */
export class NeedsAPerson extends Error {
  override readonly name = 'NeedsAPerson';
}

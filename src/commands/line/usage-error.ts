/** The command line was used wrongly. One sentence tells how to put it right; the program ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

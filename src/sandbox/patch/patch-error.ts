/** Why a patch cannot be applied, with the status and the words that the API server answers with. */

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly status: 400 | 413 | 422 | 500;
  /** The server leaves it empty with status 500. */
  readonly reason: '' | 'BadRequest' | 'RequestEntityTooLarge' | 'Invalid';

  constructor(status: PatchError['status'], message: string) {
    super(message);
    this.status = status;
    this.reason = REASONS[status];
  }
}

const REASONS = { 400: 'BadRequest', 413: 'RequestEntityTooLarge', 422: 'Invalid', 500: '' } as const;

export const badRequest = (message: string): PatchError => new PatchError(400, message);

/** The server keeps to itself which step of a patch failed, and why. */
export const doesNotApply = (): PatchError =>
  new PatchError(422, 'the server rejected our request due to an error in our request');

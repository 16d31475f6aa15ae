/** Several pieces at the same time. */

/**
 * When one fails, no further piece is begun, those that have begun and only wait are told by the signal, and all are waited for:
 * nothing is done any more after this has ended. It rejects with what failed first.
 */
export async function inParallel<Piece>(
  workers: number,
  pieces: Generator<Piece>,
  signal: AbortSignal,
  work: (piece: Piece, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const worker = async () => {
    try {
      for (const piece of pieces) {
        either.throwIfAborted();
        await work(piece, either);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  failed.signal.throwIfAborted();
}

/** What it means when the connection breaks while much is sent on a condition. */
import type { Call } from './calls.ts';
import { failure } from './failure.ts';
import { conditionHolds } from './rules.ts';
import { hasFault, type PutOptions } from './store.ts';

/** What fits into the buffers on the way. */
const LARGE = 128 * 1024;

/**
 * A server may refuse while a large body is still under way, and close the connection, which is then all that the sender sees. If the
 * condition does not hold by then it is told as that: what is there may be our own, whose reply got lost, and is not written again either.
 */
export async function orRefusedEarly<T>(
  call: Call,
  condition: PutOptions['condition'],
  etagNow: () => Promise<string | undefined>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const mayBeRefused = condition !== undefined && (call.bytes ?? 0) >= LARGE && hasFault(error, 'unavailable');
    if (!mayBeRefused) throw error;
    const found = await etagNow().then(
      (etag) => ({ etag }),
      () => undefined,
    );
    if (found === undefined || conditionHolds(found.etag, condition)) throw error;
    throw failure('preconditionFailed', call, 'it is not what it was');
  }
}

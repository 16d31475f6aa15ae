/** A look before much is sent on a condition. */
import type { Call } from './calls.ts';
import { failure } from './failure.ts';
import { conditionHolds } from './rules.ts';
import type { PutOptions } from './store.ts';

/** What fits into the buffers on the way. */
const LARGE = 128 * 1024;

/**
 * Throws `preconditionFailed` when a condition does not hold anyway. A server may refuse while a large body is still under way, and
 * close the connection, which is then all that the sender sees. What counts is still the condition of the write itself.
 */
export async function refuseEarly(
  call: Call,
  condition: PutOptions['condition'],
  etagNow: () => Promise<string | undefined>,
): Promise<void> {
  if (condition === undefined || (call.bytes ?? 0) < LARGE) return;
  if (!conditionHolds(await etagNow(), condition)) throw failure('preconditionFailed', call, 'it is not what it was');
}

/** Waiting for a signal. */
import { once } from 'node:events';

/** Resolves when the signal is aborted, at once if it is already. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** The past is forgotten as a real cluster does it: every five minutes, what was before the last time. */
import type { Clock } from '../../kit/clock/clock.ts';
import type { Store } from '../store/store.ts';

const EVERY_MS = 300_000;

/** Gives back how to stop. */
export function compactNowAndThen(store: Store, clock: Clock): () => void {
  let before = store.revision;
  let cancel = clock.after(EVERY_MS, compact);
  return () => cancel();

  function compact(): void {
    store.compact(before);
    before = store.revision;
    cancel = clock.after(EVERY_MS, compact);
  }
}

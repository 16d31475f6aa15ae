/** Events are forgotten an hour after they were last written. */
import type { Cancel } from '../../kit/clock/clock.ts';
import { EVENTS } from '../../kit/observe/event.ts';
import { KEPT_MS } from './told.ts';
import type { WorldParts } from './upkeep.ts';

export function forgetEvents({ objects, clock }: WorldParts): () => void {
  const due = new Map<string, Cancel>();
  const stop = objects.onChange(EVENTS, ({ type, key }) => {
    due.get(key)?.();
    due.delete(key);
    if (type === 'DELETED') return;
    due.set(
      key,
      clock.after(KEPT_MS, () => objects.remove(EVENTS, key)),
    );
  });
  return () => {
    stop();
    for (const cancel of due.values()) cancel();
  };
}

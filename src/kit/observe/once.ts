/** Keeps a log from saying the same thing again and again: a missing right costs one warning, not one for every try. */
import type { Clock } from '../clock/clock.ts';
import { BoundedMap } from './bounded-map.ts';

/** Says yes to a key the first time, and no to the same key from then on. */
export type FirstTime = (key: string) => boolean;

/** With more keys than this the oldest are forgotten: a repeated warning is better than memory that grows for ever. */
const MOST_KEYS = 1000;

export function once(mostKeys = MOST_KEYS): FirstTime {
  const said = new BoundedMap<string, true>(mostKeys);
  return (key) => {
    const isFirst = said.get(key) === undefined;
    said.set(key, true);
    return isFirst;
  };
}

/** Says yes to a key again when `everyMs` have passed since it last did. */
export function onceEvery(clock: Clock, everyMs: number): FirstTime {
  const said = new BoundedMap<string, number>(MOST_KEYS);
  return (key) => {
    const now = clock.monotonic();
    const last = said.get(key);
    if (last !== undefined && now - last < everyMs) return false;
    said.set(key, now);
    return true;
  };
}

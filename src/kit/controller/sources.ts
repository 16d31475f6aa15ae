/** Where a controller's keys come from. */
import type { Change, View } from '../cache/store.ts';
import type { Clock } from '../clock/clock.ts';

/** Calls `add` for each key, and returns how to stop that. */
export type Source = (add: (key: string) => void) => () => void;

/** Every object of a view names itself. */
export const each =
  <P>(view: Pick<View<P>, 'keys' | 'subscribe'>): Source =>
  (add) => {
    for (const key of view.keys()) add(key);
    return view.subscribe(({ key }) => add(key));
  };

/**
 * Objects of a view name others: those that they name now, and those that they named before a change.
 * An object that `toKeys` cannot read names none; `onError` is told.
 */
export const mapped =
  <P>(
    view: Pick<View<P>, 'keys' | 'get' | 'subscribe'>,
    toKeys: (value: P, key: string) => Iterable<string>,
    onError: (error: unknown) => void,
  ): Source =>
  (add) => {
    const addAll = (value: P | undefined, key: string) => {
      if (value === undefined) return;
      try {
        for (const named of toKeys(value, key)) add(named);
      } catch (error) {
        onError(error);
      }
    };
    for (const key of view.keys()) addAll(view.get(key), key);
    return view.subscribe(({ key, before, after }: Change<P>) => {
      addAll(before, key);
      addAll(after, key);
    });
  };

/** So many keys are named at once, and all of them within this part of the period. */
const AT_ONCE = 32;
const PART = 0.1;

/**
 * Names every key of a view again each period: the net under lost events. They come a few at a time, so that what has just happened
 * does not stand in line behind everything there is.
 */
export const every =
  (ms: number, clock: Clock, keys: () => Iterable<string>): Source =>
  (add) => {
    let cancelTick = clock.after(ms, tick);
    let cancelRest = () => {};
    return () => {
      cancelTick();
      cancelRest();
    };

    function tick(): void {
      cancelTick = clock.after(ms, tick);
      const all = [...keys()];
      const pauseMs = (ms * PART) / Math.ceil(all.length / AT_ONCE);
      nameFrom(0);

      function nameFrom(start: number): void {
        const end = start + AT_ONCE;
        for (const key of all.slice(start, end)) add(key);
        if (end < all.length) cancelRest = clock.after(pauseMs, () => nameFrom(end));
      }
    }
  };

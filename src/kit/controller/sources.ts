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
    view: Pick<View<P>, 'values' | 'subscribe'>,
    toKeys: (value: P) => Iterable<string>,
    onError: (error: unknown) => void,
  ): Source =>
  (add) => {
    const addAll = (value: P) => {
      try {
        for (const key of toKeys(value)) add(key);
      } catch (error) {
        onError(error);
      }
    };
    for (const value of view.values()) addAll(value);
    return view.subscribe(({ before, after }: Change<P>) => {
      if (before !== undefined) addAll(before);
      if (after !== undefined) addAll(after);
    });
  };

/** Names every key of a view again each period: the net under lost events. */
export const every =
  (ms: number, clock: Clock, keys: () => Iterable<string>): Source =>
  (add) => {
    let cancel = clock.after(ms, tick);
    return () => cancel();

    function tick(): void {
      for (const key of keys()) add(key);
      cancel = clock.after(ms, tick);
    }
  };

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

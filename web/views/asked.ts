/** Something that is asked for by itself: on its way, there, or refused. What was there stays until there is something newer. */
import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Asked<T> {
  readonly value?: T;
  readonly problem?: unknown;
  readonly isOnItsWay: boolean;
  readonly again: () => void;
}

/** `ask` is done anew whenever it is another function. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({ isOnItsWay: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const end = new AbortController();
    setState(({ value }) => ({ isOnItsWay: true, ...(value !== undefined && { value }) }));
    ask(end.signal).then(
      (value) => !end.signal.aborted && setState({ value, isOnItsWay: false }),
      (problem) => !end.signal.aborted && setState({ problem, isOnItsWay: false }),
    );
    return () => end.abort();
  }, [ask, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, again };
}

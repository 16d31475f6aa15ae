/** The page's time, and the cluster's, for everything that shows one. */
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { SAME_TIME, timeThere } from './cluster-time.ts';

const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One tick a second for everything that shows time. */
function onTick(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

export const ClusterClock = createContext(SAME_TIME);

/** What is said of now, in the cluster and here, and again each second; only what comes out different is drawn. */
export function useTold<T extends string | number>(tell: (now: number, here: number) => T): T {
  const clock = useContext(ClusterClock);
  const told = () => {
    const here = Date.now();
    return tell(timeThere(clock, here), here);
  };
  // The words of the last drawing, for the one listener that there is as long as this is shown.
  const latest = useRef(told);
  latest.current = told;
  const [, redraw] = useState<T>(told);
  useEffect(() => onTick(() => redraw(latest.current())), []);
  return told();
}

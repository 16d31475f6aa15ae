/** The page's time, and the cluster's: clocks of clusters may be ahead or behind, and those of a demo run faster. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

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

/** How far the cluster's clock is ahead, in milliseconds. */
export const ClockLead = createContext(0);

/** What is said of now, and again each second; only what comes out different is drawn. */
export function useTold<T extends string | number>(tell: (now: number) => T): T {
  const lead = useContext(ClockLead);
  const told = () => tell(Date.now() + lead);
  const [, redraw] = useState<T>(told);
  // The listener of the last drawing is the one that knows what is shown now.
  useEffect(() => onTick(() => redraw(told())));
  return told();
}

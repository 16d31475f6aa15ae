/** What the page knows of one cluster, as it changes: many changes between two frames are drawn once. */
import { useEffect, useState } from 'preact/hooks';
import { follow } from './follow.ts';
import { type Live, NOTHING_YET, withNews } from './news.ts';
import { Refusal, type Service } from './service.ts';

export function useLive(service: Service, cluster: string): Live {
  const [live, setLive] = useState<Live>(NOTHING_YET);
  useEffect(() => {
    setLive(NOTHING_YET);
    const end = new AbortController();
    let current = NOTHING_YET;
    let from = '';
    let isDrawn = true;
    const tell = (next: Live) => {
      current = next;
      if (!isDrawn) return;
      isDrawn = false;
      soon(() => {
        isDrawn = true;
        if (!end.signal.aborted) setLive(current);
      });
    };
    whileSeen(end.signal, (signal) =>
      follow({
        from,
        open: (lastId, opened) => service.live(cluster, lastId, opened),
        onMessages: (messages, lastId) => {
          from = lastId;
          tell(messages.reduce((live, message) => withNews(live, message, Date.now()), current));
        },
        onLink: (link) => tell({ ...current, link }),
        isFinal: (problem) => problem instanceof Refusal && [401, 403, 404].includes(problem.status),
        now: Date.now,
        random: Math.random,
        wait,
        signal,
      }),
    );
    return () => end.abort();
  }, [service, cluster]);
  return live;
}

const UNSEEN_MS = 10_000;

/**
 * Runs what listens while the page is seen, and again when it is seen again. A browser has six connections to a console for all of its
 * tabs together: those that nobody looks at must not keep one.
 */
function whileSeen(signal: AbortSignal, listen: (signal: AbortSignal) => Promise<void>): void {
  let current: AbortController | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    current?.abort();
    current = undefined;
  };
  const look = () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(leave, UNSEEN_MS);
    else if (!current) {
      current = new AbortController();
      listen(current.signal);
    }
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(leaving);
    leave();
  });
  look();
}

/** With the next frame; a page that nobody sees has none, and is brought up to date at leisure. */
function soon(draw: () => void): void {
  if (document.hidden) setTimeout(draw, 500);
  else requestAnimationFrame(draw);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
}

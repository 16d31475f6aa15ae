/** What the page knows of one cluster, as it changes: many changes between two frames are drawn once. */
import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../src/console/model.ts';
import { follow, type Link } from './follow.ts';
import { Refusal, type Service } from './service.ts';
import { type World, withMessage } from './world.ts';

export interface Live {
  readonly link: Link;
  readonly world?: World;
  /** How far the cluster's clock is ahead of this one, in milliseconds. */
  readonly lead: number;
}

const NOTHING_YET: Live = { link: { is: 'connecting' }, lead: 0 };

export function useLive(service: Service, cluster: string): Live {
  const [live, setLive] = useState<Live>(NOTHING_YET);
  useEffect(() => {
    setLive(NOTHING_YET);
    const end = new AbortController();
    let current = NOTHING_YET;
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
    follow({
      open: (lastId, signal) => service.live(cluster, lastId, signal),
      onMessages: (messages) => tell(messages.reduce(withNews, current)),
      onLink: (link) => tell({ ...current, link }),
      isFinal: (problem) => problem instanceof Refusal && [401, 403, 404].includes(problem.status),
      now: Date.now,
      random: Math.random,
      wait,
      signal: end.signal,
    });
    return () => end.abort();
  }, [service, cluster]);
  return live;
}

function withNews(live: Live, message: Message): Live {
  const world = withMessage(live.world, message);
  if (!world) return live;
  const isTold = world.overview !== live.world?.overview;
  return { ...live, world, lead: isTold ? leadOf(world, live.lead) : live.lead };
}

/** News take a moment to come: less than a second is no lead. */
function leadOf({ overview }: World, before: number): number {
  const lead = Date.parse(overview.at) - Date.now();
  if (Number.isNaN(lead)) return before;
  return Math.abs(lead) < 1000 ? 0 : lead;
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

/** How the page hears the console, and the console the cluster. What is shown may be old otherwise, and is said to be. */
import type { Health } from '../../src/console/model.ts';
import { useTold } from '../live/clock.ts';
import type { Live } from '../live/news.ts';
import { span } from '../words/time.ts';
import { HealthMark } from './health-mark.tsx';

export function ConnectionMark({ live }: { readonly live: Live }) {
  const { health, words } = standingOf(live);
  return (
    <div class="connection" role="status">
      <HealthMark health={health}>{words}</HealthMark>
    </div>
  );
}

function standingOf({ link, world }: Live): { readonly health: Health; readonly words: string } {
  if (link.is === 'connecting') return { health: 'busy', words: 'Connecting' };
  if (link.is === 'lost') return { health: 'failed', words: 'Disconnected' };
  if (world?.connection && !world.connection.isHeard) return { health: 'attention', words: 'Cluster not heard' };
  return { health: 'well', words: 'Live' };
}

/** Above the view while what it shows may be old. */
export function ConnectionBanner({ live }: { readonly live: Live }) {
  const { link, world } = live;
  const told = useTold((now, here) => {
    if (link.is === 'lost') return lostWords(link.since, link.retryAt, here);
    if (world?.connection && !world.connection.isHeard) return deafWords(world.connection.since, now);
    return '';
  });
  if (told === '' || !world) return null;
  const why = link.is === 'live' ? world.connection?.why : undefined;
  return (
    <div class="banner">
      <HealthMark health="attention">{told}</HealthMark>
      {why !== undefined && <span>{why}</span>}
    </div>
  );
}

function lostWords(since: number, retryAt: number | undefined, now: number): string {
  const heard =
    now - since < 1000
      ? 'The console is not heard any more.'
      : `The console has not been heard for ${span((now - since) / 1000)}.`;
  const next = retryAt === undefined ? '' : ` ${nextTry(retryAt - now)}`;
  return `${heard} What is shown is from before.${next}`;
}

export const nextTry = (inMs: number): string => (inMs > 1000 ? `Next try in ${span(inMs / 1000)}.` : 'Trying again.');

const deafWords = (since: string, now: number): string =>
  `The console has not heard the cluster for ${span((now - Date.parse(since)) / 1000)}. What is shown is from before.`;

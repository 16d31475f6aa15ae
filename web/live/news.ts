/** All that the page knows of one cluster, with what it is told. */
import type { Message } from '../../src/console/model.ts';
import { type ClusterTime, SAME_TIME, withTime } from './cluster-time.ts';
import type { Link } from './follow.ts';
import { type World, withMessage } from './world.ts';

export interface Live {
  readonly link: Link;
  readonly world?: World;
  readonly time: ClusterTime;
}

export const NOTHING_YET: Live = { link: { is: 'connecting' }, time: SAME_TIME };

/** Whether what is known is what is: the console is heard, and it has said that it hears the cluster. */
export const isHeard = ({ link, world }: Live): boolean => link.is === 'live' && world?.connection?.isHeard === true;

/** `here` is the time by the browser. */
export function withNews(live: Live, message: Message, here: number): Live {
  const world = withMessage(live.world, message);
  const there = timeIn(message);
  const time = there === undefined ? live.time : withTime(live.time, Date.parse(there), here);
  return { ...live, ...(world && { world }), time };
}

/** When it was said, by the cluster. A state is from when it was asked for last, and a connection from when it became so. */
function timeIn(message: Message): string | undefined {
  if (message.is === 'time') return message.at;
  return message.is === 'change' ? message.change.overview?.at : undefined;
}

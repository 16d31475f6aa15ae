/** The listing of a pool: the pages of all its agents laid over each other, in the order of the hashed keys, each key once. */
import type { AgentCalls } from './agent-calls.ts';
import { hashOfKey } from './blob-path.ts';
import { type BlobInfo, type BlobPage, MAX_PAGE, type Peer } from './protocol.ts';
import type { Round } from './rounds.ts';

export interface Listed {
  readonly items: readonly BlobInfo[];
  /** Up to where in the order all is known; nothing when that is the end. */
  readonly until: string | undefined;
}

export interface Stretch {
  readonly after?: string | undefined;
  readonly prefix?: string | undefined;
}

export type AskAll = <T>(ask: (agent: Peer) => Promise<T>) => Promise<Round<T>['answers']>;

/**
 * The next stretch of the order. All agents are asked twice: a blob that moves from one that is asked late to one that was asked early
 * would be seen at neither.
 */
export async function stretchOf(calls: AgentCalls, askAll: AskAll, { after, prefix }: Stretch): Promise<Listed> {
  const page = { limit: MAX_PAGE, ...(after && { continue: after }), ...(prefix && { prefix }) };
  const ask = (agent: Peer) => calls.list(agent, page);
  return overlaid([...(await askAll(ask)), ...(await askAll(ask))].map(({ answer }) => answer));
}

function overlaid(pages: readonly BlobPage[]): Listed {
  const ends = pages.flatMap((page) => page.continue ?? []).sort();
  const until = ends[0];
  const byHash = new Map<string, BlobInfo>();
  for (const info of pages.flatMap(({ items }) => items)) {
    const hash = hashOfKey(info.key);
    if (until === undefined || hash <= until) byHash.set(hash, info);
  }
  const items = [...byHash].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, info]) => info);
  return { items, until };
}

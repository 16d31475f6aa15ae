/** Asking all the agents of a pool the same, at once. Whoever does not answer is told apart from whoever says no. */
import type { Peer } from './protocol.ts';
import { isLasting } from './standing.ts';

export interface Round<T> {
  readonly answers: readonly { readonly agent: Peer; readonly answer: T }[];
  readonly failures: readonly Error[];
}

/** Throws what lasts, such as that we may not ask. */
export async function askAll<T>(agents: readonly Peer[], ask: (agent: Peer) => Promise<T>): Promise<Round<T>> {
  if (agents.length === 0) return { answers: [], failures: [new Error('the pool has no agents')] };
  const settled = await Promise.allSettled(agents.map(async (agent) => ({ agent, answer: await ask(agent) })));
  const answers = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? asError(each.reason) : []));
  const lasting = failures.find(isLasting);
  if (lasting) throw lasting;
  return { answers, failures };
}

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

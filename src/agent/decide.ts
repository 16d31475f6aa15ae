/** What an order makes of an agent. Pure: what to keep, and what to do about it. */
import type { DecommissionOrder, Peer, RecommissionOrder } from '../pool-client/protocol.ts';
import { MOST_PEERS } from './orders.ts';

/** What the agent remembers over restarts. */
export interface KeptState {
  readonly state: 'Ready' | 'Decommissioning' | 'Decommissioned';
  /** Of the last order that had one. */
  readonly generation?: number;
  /** Where the blobs go. */
  readonly peers: readonly Peer[];
  /** Where they went before that, and may be still: a DELETE has to follow them there. */
  readonly former?: readonly Peer[];
}

export const NEW_AGENT: KeptState = { state: 'Ready', peers: [] };

export type Verdict =
  /** `drain`: whether it begins, or is to know of other peers; whether it ends. */
  | { readonly is: 'kept'; readonly state: KeptState; readonly drain: 'begin' | 'end' | 'nothing' }
  /** The order is of an earlier time than what the agent knows. */
  | { readonly is: 'stale'; readonly known: number };

/** Without an order it is one of the original's operator, which knows no generations and no peers. */
export function afterDecommission(kept: KeptState, order: DecommissionOrder | undefined): Verdict {
  if (!order) return kept.state === 'Ready' ? decommissioning({ ...kept, peers: [] }) : unchanged(kept);
  const { generation, peers } = order;
  const to = { generation, peers, ...formerOf(kept, peers) };
  if (kept.generation === undefined || generation > kept.generation) return decommissioning(to);
  // An agent that is Ready since this generation has been called back after it: the order was under way for long.
  if (generation < kept.generation || kept.state === 'Ready') return { is: 'stale', known: kept.generation };
  return { is: 'kept', state: { ...to, state: kept.state }, drain: 'begin' };
}

/** An agent is the same at another address. */
function formerOf(kept: KeptState, peers: readonly Peer[]): Pick<KeptState, 'former'> {
  const named = new Set(peers.map(({ name }) => name));
  const former = [...kept.peers, ...(kept.former ?? [])].filter(({ name }) => !named.has(name));
  return former.length > 0 ? { former: former.slice(0, MOST_PEERS) } : {};
}

export function afterRecommission(kept: KeptState, order: RecommissionOrder | undefined): Verdict {
  const generation = order?.generation ?? kept.generation;
  if (generation !== undefined && kept.generation !== undefined && generation < kept.generation) {
    return { is: 'stale', known: kept.generation };
  }
  const ready: KeptState = { state: 'Ready', peers: [], ...(generation !== undefined && { generation }) };
  return { is: 'kept', state: ready, drain: kept.state === 'Ready' ? 'nothing' : 'end' };
}

/** The drain has found nothing left. Only an agent that is still to be drained is told by that. */
export function afterDraining(kept: KeptState): KeptState {
  return kept.state === 'Decommissioning' ? { ...kept, state: 'Decommissioned' } : kept;
}

const decommissioning = (order: Omit<KeptState, 'state'>): Verdict => ({
  is: 'kept',
  state: { ...order, state: 'Decommissioning' },
  drain: 'begin',
});

const unchanged = (state: KeptState): Verdict => ({ is: 'kept', state, drain: 'nothing' });

/** What the ring of an agent shows: how far its drain is, or how full its disk is. Pure. */
import type { AgentRow } from '../../src/console/model.ts';

export type Gauge = { readonly of: 'drain' | 'fill'; readonly share: number } | { readonly of: 'nothing' };

export function gaugeOf({ progress, usedBytes, capacityBytes }: AgentRow): Gauge {
  if (progress !== undefined) return { of: 'drain', share: within(progress) };
  if (usedBytes === undefined || !capacityBytes) return { of: 'nothing' };
  return { of: 'fill', share: within(usedBytes / capacityBytes) };
}

const within = (share: number): number => Math.min(1, Math.max(0, share));

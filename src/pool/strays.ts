/** Agents that nobody told to leave, and that have left or are about to: kept claims that came back, and orders of an operator of before. */
import { nextGeneration } from './members.ts';
import { type Action, addresseeOf } from './plan.ts';
import type { Member, Seen } from './seen.ts';

/** They are told to go on, with all that they have. */
export function straysAmong(seen: Seen, members: readonly Member[]): readonly Action[] {
  const generation = nextGeneration(seen);
  return members.filter(isLeaving).flatMap((member): Action[] => {
    const to = addresseeOf(member);
    return to ? [{ do: 'order', to, order: { kind: 'recommission', generation } }] : [];
  });
}

const isLeaving = ({ agent }: Member): boolean =>
  agent.known && (agent.value.state === 'Decommissioning' || agent.value.state === 'Decommissioned');

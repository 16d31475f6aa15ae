/** Agents that nobody told to leave, and that have left or are about to: kept claims that came back, and orders of an operator of before. */
import { cannotGoOn, isLeaving, nextGeneration } from './members.ts';
import { type Action, addresseeOf } from './plan.ts';
import type { Member, Seen } from './seen.ts';

/** They are told to go on, with all that they have. */
export function straysAmong(seen: Seen, members: readonly Member[]): readonly Action[] {
  const generation = nextGeneration(seen);
  return members
    .filter((member) => isLeaving(member) && !cannotGoOn(member))
    .flatMap((member): Action[] => {
      const to = addresseeOf(member);
      return to ? [{ do: 'order', to, order: { kind: 'recommission', generation } }] : [];
    });
}

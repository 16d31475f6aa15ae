/** What would be done to a device, without doing it. */
import { type ApplyParts, othersThan, recycledOf } from './apply.ts';
import { planCleaning } from './cleaning.ts';
import type { Config } from './contract.ts';
import type { State } from './standings.ts';
import { asSeen, grievanceOf, type Subject } from './subject.ts';
import type { Volume } from './volume.ts';

export interface PlanOrder {
  readonly path: string;
  readonly config: Config;
  /** The volume that would be recycled; without one, one would be made. */
  readonly volume?: Volume | undefined;
}

export interface Planned {
  readonly subject: Subject;
  readonly state: State;
}

export async function planFor(
  { path, config, volume }: PlanOrder,
  subject: Subject,
  parts: ApplyParts,
  signal: AbortSignal,
): Promise<Planned> {
  const others = await othersThan(volume?.name, parts, signal);
  const recycles = volume && recycledOf(volume, parts.ledger);
  const { refusal, observed, ofBytes } = await planCleaning({ path, config, others, recycles }, parts);
  const seen = asSeen(subject, observed);
  if (refusal) return { subject: seen, state: { is: 'refused', ...grievanceOf(refusal, parts.settings.node, path) } };
  const what = volume ? 'recycle' : 'make';
  return { subject: seen, state: { is: 'planned', what, method: config.wipeMethod, ofBytes } };
}

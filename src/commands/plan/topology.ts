/** What the topology job would label now, with the flags that it has if nobody says otherwise. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { topologyViews } from '../../topology/cached.ts';
import { DEFAULT_POLICY, type Policy } from '../../topology/contract.ts';
import { silence } from '../../topology/events.ts';
import { type LabelledOnce, labelAll } from '../../topology/once.ts';
import type { Terminal } from '../line/command.ts';
import { progressOn } from '../progress.ts';
import { labelledPage } from '../topology/label-once.ts';
import type { Visitor } from '../visit.ts';
import type { JobPlan } from './job-plan.ts';

export async function planLabels(
  { client, signal }: Visitor,
  terminal: Terminal,
  policy: Policy,
  selector = '',
): Promise<LabelledOnce> {
  const clock = systemClock;
  const snapshot = new Snapshot();
  const views = topologyViews(snapshot, policy.labelKeys, selector);
  await snapshot.fill(client, { signal }, progressOn(terminal, clock));
  const parts = { snapshot, views, client, policy, selector, clock, recorder: silence, signal, progress: () => {} };
  return await labelAll({ ...parts, dryRun: true });
}

export const topology: JobPlan<LabelledOnce> = {
  job: 'topology',
  look: (visitor, _where, terminal) => planLabels(visitor, terminal, DEFAULT_POLICY),
  page: labelledPage,
};

/** Makes one volume right: looks at it, decides, and carries out what may be carried out now. */
import { OwnWrites } from '../kit/cache/own-writes.ts';
import { after, done, type Outcome } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { mayHaveHappened } from '../kit/kube/retry.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import { apply, isCarriedOut } from './apply.ts';
import type { Volume } from './cached.ts';
import { Contests } from './contests.ts';
import type { TopologySettings } from './contract.ts';
import { atOnce, decide, type Label, nodesWithoutTopology } from './decide.ts';
import { Narrowings } from './narrowings.ts';
import type { Report } from './report.ts';
import { look, type TopologyViews } from './seen.ts';

/** A write is looked at once more when the cache should show it: whoever undid it before we saw it has left no trace. */
const RECHECK_MS = 10_000;

/** A write that failed, and may have happened all the same: of its answers only the last one is known. */
interface Unanswered {
  readonly volume: Volume;
  readonly decision: Label;
  /** The version of the volume that was looked at. */
  readonly version: string | undefined;
}

export function reconciler(
  { client, clock }: Pick<ProgramParts, 'client' | 'clock'>,
  views: TopologyViews,
  { policy, dryRun, narrowAfterMs }: TopologySettings,
  report: Report,
) {
  const ownWrites = new OwnWrites(views.volumes, clock);
  const contests = new Contests(clock);
  const narrowings = new Narrowings(clock, narrowAfterMs);
  const unanswered = new Map<string, Unanswered>();

  return async (name: string, context: ReconcileContext): Promise<Outcome> => {
    if (ownWrites.isAheadOfCache(name)) return after(RECHECK_MS);
    const seen = look(views, name);
    const decision = seen && decide(seen, policy);
    if (decision?.do !== 'label' || decision.narrowing.length === 0) narrowings.forget(name);
    if (seen) report.nodesWithoutTopology(nodesWithoutTopology(seen, policy));
    settle(name, seen?.volume, decision?.do === 'label');
    if (!decision) report.gone(name);
    else if (decision.do === 'nothing') report.leftAlone(seen.volume, decision.because);
    else return await label(seen.volume, decision, context.signal);
    return done;
  };

  async function label(volume: Volume, decision: Label, signal: AbortSignal): Promise<Outcome> {
    const graceMs = graceOf(volume.name, decision);
    const due = graceMs > 0 ? atOnce(decision) : decision;
    if (due && dryRun) report.wouldWrite(volume, due);
    if (!due || dryRun) return graceMs > 0 ? after(graceMs) : done;
    const pauseMs = contests.pauseMs(volume.uid, volume.labels);
    if (pauseMs === 0) return await write(volume, due, signal);
    report.contested(volume, pauseMs);
    return after(pauseMs);
  }

  /** For how long the places that it gives up are still named; 0 when it gives none up, or nobody has been there for long enough. */
  function graceOf(name: string, { labels, narrowing }: Label): number {
    if (narrowing.length === 0) return 0;
    return narrowings.pauseMs(name, Object.fromEntries(narrowing.map((key) => [key, labels[key] ?? ''])));
  }

  async function write(volume: Volume, decision: Label, signal: AbortSignal): Promise<Outcome> {
    const { name } = volume;
    const version = versionOf(name);
    try {
      const written = await apply(decision, volume, { client, clock, volumes: views.volumes, policy }, signal);
      unanswered.delete(name);
      if (!written) {
        report.vanished();
        return done;
      }
      wrote(volume, decision);
      ownWrites.note(name, written);
      return after(RECHECK_MS);
    } catch (error) {
      if (mayHaveHappened(error) || !unanswered.has(name)) unanswered.set(name, { volume, decision, version });
      report.failed(volume, error);
      throw error;
    }
  }

  /** Sees whether a write without an answer has happened. The cache may still be as old as it; then that is not known yet. */
  function settle(name: string, now: Volume | undefined, isToBeWritten: boolean): void {
    const last = unanswered.get(name);
    if (!last) return;
    const isOurs = now !== undefined && isCarriedOut(last.decision, last.volume, now);
    if (isOurs) wrote(last.volume, last.decision);
    const isStale = now?.uid === last.volume.uid && versionOf(name) === last.version;
    if (isOurs || !(isStale || isToBeWritten)) unanswered.delete(name);
  }

  function versionOf(name: string): string | undefined {
    return views.volumes.identityOf(name)?.resourceVersion;
  }

  function wrote(volume: Volume, decision: Label): void {
    report.wrote(volume, decision);
    contests.wrote(volume.uid, volume.labels, { ...volume.labels, ...decision.labels });
  }
}

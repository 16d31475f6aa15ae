/** Makes one volume right: looks at it, decides, and carries out what may be carried out now. */
import { OwnWrites } from '../kit/cache/own-writes.ts';
import { after, done, type Outcome } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import { apply } from './apply.ts';
import type { Volume } from './cached.ts';
import { Contests } from './contests.ts';
import type { TopologySettings } from './contract.ts';
import { decide, type Label } from './decide.ts';
import { Narrowings } from './narrowings.ts';
import type { Report } from './report.ts';
import { look, type TopologyViews } from './seen.ts';

/** A write is looked at once more when the cache should show it: whoever undid it before we saw it has left no trace. */
const RECHECK_MS = 10_000;

export function reconciler(
  { client, clock }: Pick<ProgramParts, 'client' | 'clock'>,
  views: TopologyViews,
  { policy, dryRun, narrowAfterMs }: TopologySettings,
  report: Report,
) {
  const ownWrites = new OwnWrites(views.volumes);
  const contests = new Contests(clock);
  const narrowings = new Narrowings(clock, narrowAfterMs);

  return async (name: string, context: ReconcileContext): Promise<Outcome> => {
    if (ownWrites.isAheadOfCache(name)) return after(RECHECK_MS);
    const seen = look(views, name);
    const decision = seen && decide(seen, policy);
    if (decision?.do !== 'label' || !decision.narrows) narrowings.forget(name);
    if (!decision) report.gone(name);
    else if (decision.do === 'nothing') report.leftAlone(seen.volume, decision.because);
    else if (dryRun) report.wouldWrite(seen.volume, decision);
    else return await label(seen.volume, decision, context.signal);
    return done;
  };

  async function label(volume: Volume, decision: Label, signal: AbortSignal): Promise<Outcome> {
    const graceMs = decision.narrows ? narrowings.pauseMs(volume.name, decision.labels) : 0;
    if (graceMs > 0) return after(graceMs);
    const pauseMs = contests.pauseMs(volume.uid, volume.labels);
    if (pauseMs === 0) return await write(volume, decision, signal);
    report.contested(volume, pauseMs);
    return after(pauseMs);
  }

  async function write(volume: Volume, decision: Label, signal: AbortSignal): Promise<Outcome> {
    try {
      const written = await apply(decision, volume, { client, clock, volumes: views.volumes, policy }, signal);
      if (!written) {
        report.vanished();
        return done;
      }
      report.wrote(volume, decision);
      contests.wrote(volume.uid, volume.labels, { ...volume.labels, ...decision.labels });
      ownWrites.note(volume.name, written);
      return after(RECHECK_MS);
    } catch (error) {
      report.failed(volume, error);
      throw error;
    }
  }
}

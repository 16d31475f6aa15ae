/** Labels volumes with the zone and region of the nodes that use them. Reads volumes, claims, pods and nodes; writes volumes. */
import { OwnWrites } from '../kit/cache/own-writes.ts';
import type { ReconcileContext } from '../kit/controller/controller.ts';
import { after, done, type Outcome } from '../kit/controller/outcome.ts';
import { each, every, mapped, type Source } from '../kit/controller/sources.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { apply } from './apply.ts';
import { topologyViews, type ViewSource } from './cached.ts';
import { Contests } from './contests.ts';
import { type Policy, REPORTER } from './contract.ts';
import { decide, type Label } from './decide.ts';
import { topologyMetrics } from './metrics.ts';
import { Report } from './report.ts';
import { look, type Seen, type TopologyViews } from './seen.ts';
import { Standings } from './standings.ts';

export interface TopologySettings {
  readonly policy: Policy;
  /** Chooses volumes by their labels; all when it is empty. */
  readonly selector: string;
  /** How often everything is looked at again, whatever was heard meanwhile; 0 for never. */
  readonly resyncMs: number;
  readonly dryRun: boolean;
}

/** Events are writes, too: a dry run tells them to the log only. */
const silence = { record: () => {} };

/** What it needs of a program: all of it, but any source of views will do. */
export type TopologyParts = Omit<ProgramParts, 'caches' | 'random'> & { readonly caches: ViewSource };

/** As many as the client has connections: a write is mostly waiting. */
const CONCURRENCY = 32;
/** A write is looked at once more when the cache should show it: whoever undid it before we saw it has left no trace. */
const RECHECK_MS = 10_000;

export function topology(parts: TopologyParts, settings: TopologySettings): readonly Runnable[] {
  const { caches, controller, events, metrics, clock, log } = parts;
  const views = topologyViews(caches, settings.policy.labelKeys, settings.selector);
  const standings = new Standings();
  const report = new Report({
    recorder: settings.dryRun ? silence : events.recorder(REPORTER),
    metrics: topologyMetrics(metrics.registry, standings),
    standings,
    log,
    clock,
    uidOfNode: (node) => views.nodes.identityOf(node)?.uid ?? '',
  });
  const reconcile = reconciler(parts, views, settings, report);
  const sources = sourcesOf(parts, views, settings.resyncMs);
  return [controller({ name: 'topology', concurrency: CONCURRENCY, sources, reconcile })];
}

/** Whatever changes, the volumes that it concerns are looked at. */
function sourcesOf({ clock, log }: TopologyParts, views: TopologyViews, resyncMs: number): readonly Source[] {
  const { volumes, claims, pods, nodes } = views;
  const ofClaim = (claim: string) => claims.get(claim) || [];
  const ofPod = (pod: string) => pods.get(pod)?.claims.flatMap(ofClaim) ?? [];
  const onError = (err: unknown) => log.error({ err }, 'a change could not be traced to its volumes');
  return [
    each(volumes),
    mapped(claims, (volume) => (volume === '' ? [] : [volume]), onError),
    mapped(pods, (pod) => pod.claims.flatMap(ofClaim), onError),
    mapped(nodes, (_, node) => pods.keysBy('node', node).flatMap(ofPod), onError),
    ...(resyncMs > 0 ? [every(resyncMs, clock, () => volumes.keys())] : []),
  ];
}

function reconciler(
  { client, clock }: TopologyParts,
  views: TopologyViews,
  settings: TopologySettings,
  report: Report,
) {
  const { policy, dryRun } = settings;
  const ownWrites = new OwnWrites(views.volumes);
  const contests = new Contests(clock);

  return async (name: string, { signal }: ReconcileContext): Promise<Outcome> => {
    if (ownWrites.isAheadOfCache(name)) return after(RECHECK_MS);
    const seen = look(views, name);
    if (!seen) {
      report.gone(name);
      return done;
    }
    const decision = decide(seen, policy);
    if (decision.do === 'label') return await label(seen, decision, signal);
    report.leftAlone(seen.volume, decision.because);
    return done;
  };

  async function label({ volume }: Seen, decision: Label, signal: AbortSignal): Promise<Outcome> {
    if (dryRun) {
      report.wouldWrite(volume, decision);
      return done;
    }
    const pauseMs = contests.pauseMs(volume.uid);
    if (pauseMs > 0) {
      report.contested(volume, pauseMs);
      return after(pauseMs);
    }
    return await write(volume, decision, signal);
  }

  async function write(volume: Seen['volume'], decision: Label, signal: AbortSignal): Promise<Outcome> {
    const { resourceVersion = '' } = views.volumes.identityOf(volume.name) ?? {};
    const provenance = policy.provenance ? clock.now() : undefined;
    const written = await apply(decision, { ...volume, resourceVersion }, { client, signal, provenance }).catch(
      (error) => {
        report.failed(volume, error);
        throw error;
      },
    );
    if (!written) {
      report.vanished();
      return done;
    }
    report.wrote(volume, decision, contests.countOf(volume.uid) === 0);
    contests.wrote(volume.uid);
    ownWrites.note(volume.name, written);
    return after(RECHECK_MS);
  }
}

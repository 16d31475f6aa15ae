/** Labels volumes with the zone and region of the nodes that use them. Reads volumes, claims, pods and nodes; writes volumes. */
import { each, every, mapped, type Source } from '../kit/controller/sources.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { topologyViews, type ViewSource } from './cached.ts';
import { REPORTER, type TopologySettings } from './contract.ts';
import { silence } from './events.ts';
import { topologyMetrics } from './metrics.ts';
import { reconciler } from './reconcile.ts';
import { Report } from './report.ts';
import type { TopologyViews } from './seen.ts';
import { Standings } from './standings.ts';

/** What it needs of a program: all of it, but any source of views will do. */
type TopologyParts = Omit<ProgramParts, 'caches' | 'random'> & { readonly caches: ViewSource };

/** As many as the client has connections: a write is mostly waiting. */
const CONCURRENCY = 32;

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

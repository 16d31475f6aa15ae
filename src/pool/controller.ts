/** Keeps pools of storage agents as they are declared. Reads pools, their StatefulSets, pods and claims, and asks the agents. */
import { each, mapped, type Source } from '../kit/controller/sources.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { type Agents, HttpAgents } from './agents.ts';
import { REPORTER } from './contract.ts';
import { poolMetrics } from './metrics.ts';
import { Reconciler } from './reconcile.ts';
import { Report } from './report.ts';
import { type PoolViews, poolViews, type ViewSource } from './views.ts';

/** What it needs of a program: all of it, but any source of views will do. */
type PoolParts = Omit<ProgramParts, 'caches' | 'random'> & { readonly caches: ViewSource };

export interface PoolSettings {
  /** So many random bytes, in hexadecimal digits. */
  readonly secret: (bytes: number) => string;
  readonly agents?: Agents;
}

/** A visit is mostly waiting for agents. */
const CONCURRENCY = 16;

export function pool(
  parts: PoolParts,
  { secret, agents = new HttpAgents(parts.clock) }: PoolSettings,
): readonly Runnable[] {
  const { caches, client, controller, events, metrics, clock, log } = parts;
  const views = poolViews(caches);
  const report = new Report({ recorder: events.recorder(REPORTER), metrics: poolMetrics(metrics.registry), log });
  const reconciler = new Reconciler({ views, client, agents, clock, report, secret });
  const sources = sourcesOf(views, (err) => log.error({ err }, 'a change could not be traced to its pool'));
  return [
    controller({
      name: 'pool',
      concurrency: CONCURRENCY,
      sources,
      reconcile: (key, context) => reconciler.reconcile(key, context),
    }),
  ];
}

/** Whatever changes, the pool that it belongs to is looked at. */
function sourcesOf(
  { pools, sets, services, budgets, pods, claims }: PoolViews,
  onError: (error: unknown) => void,
): readonly Source[] {
  const ofPool = (key: string) => (pools.has(key) ? [key] : []);
  const byName =
    (suffix: string) =>
    (_: unknown, key: string): readonly string[] =>
      ofPool(key.slice(0, -suffix.length));
  return [
    each(pools),
    mapped(sets, byName('-sts'), onError),
    mapped(services, byName('-srv'), onError),
    mapped(budgets, byName('-pdb'), onError),
    mapped(pods, ({ pool: key }) => ofPool(key), onError),
    mapped(claims, ({ pool: key }) => ofPool(key), onError),
  ];
}

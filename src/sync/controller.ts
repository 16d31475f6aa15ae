/** Carries the definitions of volumes from a protected cluster to a recovery cluster: exports them on the one, restores them on the other. */

import { Retry } from '../kit/controller/outcome.ts';
import { each, mapped, type Source } from '../kit/controller/sources.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { REPORTER } from './contract.ts';
import type { Keys } from './export/keys.ts';
import { syncMetrics } from './metrics.ts';
import { OwnCluster } from './own-cluster.ts';
import { ProtectedSide } from './protected-side.ts';
import { Reconciler } from './reconcile.ts';
import { disown } from './recover/disown.ts';
import { release } from './recover/release.ts';
import { RecoverySide } from './recovery-side.ts';
import { Report } from './report.ts';
import type { ObjectStore } from './store/store.ts';
import { Stores } from './stores.ts';
import { type SyncViews, syncViews } from './views.ts';

/** What it needs of a program: all of it, but any source of views will do. */
type SyncParts = Omit<ProgramParts, 'caches' | 'random'> & { readonly caches: Parameters<typeof syncViews>[0] };

export interface SyncSettings {
  /** Opens the store of a provider, with the credentials of the environment. */
  readonly openStore: (provider: string) => Promise<ObjectStore>;
  /** The keys that exports are encrypted and signed with. Throws when they cannot be used. */
  readonly keys: () => Keys;
}

/** To restore fifty thousand volumes and claims takes minutes. */
const DEADLINE_MS = 1_800_000;

export function sync(parts: SyncParts, { openStore, keys }: SyncSettings): readonly Runnable[] {
  const { caches, client, controller, events, metrics, clock, log } = parts;
  const views = syncViews(caches);
  const counted = syncMetrics(metrics.registry, () => clock.now().getTime());
  const report = new Report({ recorder: events.recorder(REPORTER), metrics: counted, log });
  const stores = new Stores({ open: openStore, clock, metrics: counted });
  const common = { views, client, stores, own: new OwnCluster(client), keys, clock, metrics: counted, log };
  const reconciler = new Reconciler({
    views,
    client,
    clock,
    report,
    sides: { Protected: new ProtectedSide(common), Recovery: new RecoverySide({ ...common, report }) },
    disown: (name, signal) => disown(views, { client, sync: name, signal }),
    release: async (name, signal) => {
      const { counts, failures } = await release({ client, sync: name, signal });
      if (failures[0])
        throw new Retry(`${failures.length} objects could not be released: ${failures[0].error.message}`);
      return counts.release;
    },
  });
  return [
    controller({
      name: 'sync',
      deadlineMs: DEADLINE_MS,
      sources: sourcesOf(views, (err) => log.error({ err }, 'a change could not be traced to its sync')),
      reconcile: (key, context) => reconciler.reconcile(key, context),
    }),
  ];
}

/** Whatever changes, the resources are looked at; whether it matters to them they know themselves. */
function sourcesOf(
  { syncs, volumes, claims, classes, namespaces }: SyncViews,
  onError: (error: unknown) => void,
): readonly Source[] {
  const all = () => syncs.keys();
  return [
    each(syncs),
    mapped(syncs, all, onError), // the one that was second may be the first now
    mapped(volumes, all, onError),
    mapped(claims, all, onError),
    mapped(classes, all, onError),
    mapped(namespaces, all, onError),
  ];
}

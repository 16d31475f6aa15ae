/** What sync would do next: on a recovery cluster what a recovery would change; on a protected one that it exports what changes. */
import { PERSISTENT_VOLUME_SYNCS } from '../../sync/contract.ts';
import { elderOf } from '../../sync/elder.ts';
import { StoreIsNotConfigured } from '../../sync/store/open.ts';
import type { Terminal } from '../line/command.ts';
import type { Page } from '../page/page.ts';
import { type PrintedPlan, planPage as recoveryPage, recoveryPlan } from '../sync/plan.ts';
import type { Visitor } from '../visit.ts';

export type SyncPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'exports'; readonly sync: string; readonly cluster: string; readonly newest?: string }
  | ({ readonly kind: 'recovery' } & PrintedPlan);

export async function lookAtSync(visitor: Visitor, secret: string | undefined, terminal: Terminal): Promise<SyncPlan> {
  const { client, signal } = visitor;
  const { items } = await client.list(PERSISTENT_VOLUME_SYNCS, { signal });
  const sync = elderOf(items);
  if (!sync) return { kind: 'none' };
  const { metadata, spec, status } = sync;
  if (spec.mode === 'Recovery') return { kind: 'recovery', ...(await recovery(visitor, secret, terminal)) };
  const newest = status?.export?.key;
  return { kind: 'exports', sync: metadata.name ?? '', cluster: spec.protectedCluster, ...(newest && { newest }) };
}

/** Whoever looks from outside seldom has the credentials of the operator at hand. */
async function recovery(visitor: Visitor, secret: string | undefined, terminal: Terminal): Promise<PrintedPlan> {
  try {
    return await recoveryPlan(visitor, secret, terminal);
  } catch (error) {
    if (!(error instanceof StoreIsNotConfigured) || secret !== undefined) throw error;
    const remedy = 'Or name the Secret that the operator has its environment from: --secret NAMESPACE/NAME';
    throw new Error(`${error.message}. ${remedy}`, { cause: error });
  }
}

export function planPage(plan: SyncPlan): Page {
  switch (plan.kind) {
    case 'none':
      return [{ sentences: ['There is no PersistentVolumeSync in this cluster: nothing is carried anywhere.'] }];
    case 'exports': {
      const newest = plan.newest === undefined ? 'Nothing is exported yet.' : `The newest export is ${plan.newest}.`;
      return [
        {
          sentences: [
            `This cluster is protected: what changes is exported as ${plan.cluster}. ${newest}`,
            'What a recovery would do is planned on the recovery cluster.',
          ],
        },
      ];
    }
    case 'recovery':
      return recoveryPage(plan);
  }
}

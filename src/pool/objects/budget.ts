/** The PodDisruptionBudget of a pool: nodes are drained of one agent at a time, since each is the only one that has its blobs. */
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '../../api/pod-disruption-budgets.ts';
import { apiVersionOf } from '../../kit/kube/resource.ts';
import type { PvPool } from '../contract.ts';
import { budgetNameOf } from '../names.ts';
import { labelsOf, nameOf, ownedMetadata } from './owned.ts';

export const budgetOf = (pool: PvPool): PodDisruptionBudget => ({
  apiVersion: apiVersionOf(POD_DISRUPTION_BUDGETS),
  kind: POD_DISRUPTION_BUDGETS.kind,
  metadata: ownedMetadata(pool, budgetNameOf(nameOf(pool))),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(pool) } },
});

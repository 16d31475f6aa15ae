/** What is done to pods through doors of their own: they are bound to a node, and evicted from it. */
import { POD_DISRUPTION_BUDGETS } from '../../api/pod-disruption-budgets.ts';
import { PODS } from '../../api/pods.ts';
import { nameOf } from '../../kit/kube/resource.ts';
import { labelSelectorOf, matches } from '../../kit/selectors.ts';
import { type ApiObject, listAt, textAt, valueAt, withValueAt } from '../api-object.ts';
import { isMap } from '../json.ts';
import type { Store } from '../store/store.ts';
import { timestamp } from './identifiers.ts';
import { conflict, Refusal } from './refusals.ts';

/** The pod on the node that a Binding names. */
export function bound(pod: ApiObject, binding: ApiObject, now: Date): ApiObject {
  const node = textAt(binding, 'target', 'name');
  const { name = '' } = pod.metadata;
  const already = textAt(pod, 'spec', 'nodeName');
  if (already)
    throw conflict(
      { ...PODS, plural: 'pods/binding' },
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(already)}`,
    );
  const others = listAt(pod, 'status', 'conditions').filter(
    (condition) => textAt(condition, 'type') !== 'PodScheduled',
  );
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: timestamp(now) };
  const placed = withValueAt(pod, ['spec', 'nodeName'], node);
  return withValueAt(placed, ['status', 'conditions'], [...others, scheduled]);
}

/** The budget that an eviction is charged to, one disruption less; nothing for a pod that none cares for. Throws when there is none left. */
export function charged(pod: ApiObject, store: Store): ApiObject | undefined {
  const { namespace, labels } = pod.metadata;
  const budgets = [...store.collection(nameOf(POD_DISRUPTION_BUDGETS)).objects(`${namespace}/`)].filter((budget) => {
    const selector = valueAt(budget, 'spec', 'selector');
    return isMap(selector) && matches(labelSelectorOf(selector), labels);
  });
  const [budget, second] = budgets;
  if (second)
    throw new Refusal({
      code: 500,
      reason: 'InternalError',
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  if (!budget || textAt(pod, 'status', 'phase') !== 'Running') return undefined;
  const allowed = Number(valueAt(budget, 'status', 'disruptionsAllowed') ?? 0);
  if (allowed <= 0) throw exhausted(budget);
  return withValueAt(budget, ['status', 'disruptionsAllowed'], allowed - 1);
}

function exhausted(budget: ApiObject): Refusal {
  const healthy = (field: string) => valueAt(budget, 'status', field) ?? 0;
  const message = `The disruption budget ${budget.metadata.name} needs ${healthy('desiredHealthy')} healthy pods and has ${healthy('currentHealthy')} currently`;
  return new Refusal({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
  });
}

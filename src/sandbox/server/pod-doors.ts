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
export function charged(pod: ApiObject, store: Store, now: Date): ApiObject | undefined {
  const { namespace, labels } = pod.metadata;
  const budgets = [...store.collection(nameOf(POD_DISRUPTION_BUDGETS)).objects(`${namespace}/`)].filter((budget) => {
    const selector = valueAt(budget, 'spec', 'selector');
    return isMap(selector) && matches(labelSelectorOf(selector), labels);
  });
  const [budget, second] = budgets;
  if (second)
    throw new Refusal({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  if (!budget || textAt(pod, 'status', 'phase') !== 'Running') return undefined;
  if (!isReady(pod) && mayGoUnready(budget)) return undefined;
  if (countIn(budget, 'observedGeneration') < (budget.metadata.generation ?? 0)) throw unseen(budget);
  if (countIn(budget, 'disruptionsAllowed') <= 0) throw exhausted(budget);
  return lessOne(budget, pod.metadata.name ?? '', timestamp(now));
}

const countIn = (budget: ApiObject, field: string): number => Number(valueAt(budget, 'status', field) ?? 0);

const isReady = (pod: ApiObject): boolean =>
  listAt(pod, 'status', 'conditions').some(
    (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
  );

/** A pod that is not ready serves nobody: it may go where enough others are, or always, if the budget says so. */
function mayGoUnready(budget: ApiObject): boolean {
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = countIn(budget, 'desiredHealthy');
  return desired > 0 && countIn(budget, 'currentHealthy') >= desired;
}

/** Until the pod is seen to go, the budget remembers that it was let go. */
function lessOne(budget: ApiObject, pod: string, now: string): ApiObject {
  const left = countIn(budget, 'disruptionsAllowed') - 1;
  const charged = withValueAt(budget, ['status', 'disruptionsAllowed'], left);
  const noted = withValueAt(charged, ['status', 'disruptedPods', pod], now);
  if (left > 0) return noted;
  const conditions = listAt(budget, 'status', 'conditions');
  const before = conditions.find((each) => textAt(each, 'type') === ALLOWED);
  const others = conditions.filter((each) => each !== before);
  const since = textAt(before, 'status') === 'False' ? textAt(before, 'lastTransitionTime') : now;
  const none = {
    type: ALLOWED,
    status: 'False',
    observedGeneration: countIn(budget, 'observedGeneration'),
    lastTransitionTime: since,
    reason: 'InsufficientPods',
    message: '',
  };
  return withValueAt(noted, ['status', 'conditions'], [...others, none]);
}

const ALLOWED = 'DisruptionAllowed';

/** Nobody has counted the pods of the budget as it is now. */
const unseen = ({ metadata: { name } }: ApiObject): Refusal =>
  tooMany(`The disruption budget ${name} is still being processed by the server.`, { retryAfterSeconds: 10 });

function exhausted(budget: ApiObject): Refusal {
  const [needs, has] = [countIn(budget, 'desiredHealthy'), countIn(budget, 'currentHealthy')];
  return tooMany(`The disruption budget ${budget.metadata.name} needs ${needs} healthy pods and has ${has} currently`);
}

const tooMany = (message: string, more: { readonly retryAfterSeconds?: number } = {}): Refusal =>
  new Refusal({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }], ...more },
  });

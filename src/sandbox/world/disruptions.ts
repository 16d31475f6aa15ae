/** The disruption controller: counts the pods of each PodDisruptionBudget, and says how many of them may be evicted now. */
import { POD_DISRUPTION_BUDGETS } from '../../api/pod-disruption-budgets.ts';
import { type KubeObject, keyOfObject, type Resource } from '../../kit/kube/resource.ts';
import { type LabelSelectorObject, labelSelectorOf, matches } from '../../kit/selectors.ts';
import { timestamp } from '../server/identifiers.ts';
import { type Condition, conditionsWith } from './conditions.ts';
import { PODS, type Pod, SETS } from './resources.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

interface Budget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelectorObject | null;
  };
  readonly status?: {
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly (Condition & { readonly observedGeneration?: number })[];
  };
}

const BUDGETS: Resource<Budget> = POD_DISRUPTION_BUDGETS;
/** So long a pod that was let go is taken for one that goes. */
const GOES_WITHIN_MS = 120_000;

export class Disruptions {
  readonly #parts: WorldParts;
  readonly #budgets: Upkeep;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#budgets = new Upkeep(parts, (key) => this.#look(key))
      .watch(BUDGETS, (_, key) => [key])
      .watch(PODS, (pod) => this.#budgetsOf(pod))
      .watch(SETS, ({ metadata }) => this.#budgetsIn(metadata.namespace));
  }

  stop(): void {
    this.#budgets.stop();
  }

  #budgetsIn(namespace: string | undefined): readonly string[] {
    const all = this.#parts.objects.list(BUDGETS);
    return all.filter(({ metadata }) => metadata.namespace === namespace).map(keyOfObject);
  }

  #budgetsOf(pod: Pod): readonly string[] {
    const all = this.#parts.objects.list(BUDGETS);
    return all.filter((budget) => covers(budget, pod)).map(keyOfObject);
  }

  #look(key: string): void {
    const { objects, clock } = this.#parts;
    const budget = objects.get(BUDGETS, key);
    if (!budget) return;
    const pods = objects.list(PODS).filter((pod) => covers(budget, pod));
    const going = this.#going(key, budget, pods);
    const healthy = pods.filter(
      ({ metadata }) => !metadata.deletionTimestamp && !Object.hasOwn(going, metadata.name ?? ''),
    );
    const { expected, desired } = this.#wanted(budget, pods);
    const current = healthy.filter(isReady).length;
    const allowed = expected <= 0 ? 0 : Math.max(0, current - desired);
    const { generation = 1 } = budget.metadata;
    const counts = {
      disruptionsAllowed: allowed,
      currentHealthy: current,
      desiredHealthy: desired,
      expectedPods: expected,
    };
    const condition = {
      type: 'DisruptionAllowed',
      status: allowed > 0 ? 'True' : 'False',
      observedGeneration: generation,
      lastTransitionTime: timestamp(clock.now()),
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    };
    const status = {
      ...(Object.keys(going).length > 0 && { disruptedPods: going }),
      ...counts,
      observedGeneration: generation,
      conditions: conditionsWith(budget.status?.conditions, condition).map((each) => ({
        ...each,
        observedGeneration: generation,
      })),
    };
    objects.update(BUDGETS, { ...budget, status }, 'status');
  }

  /** Those that were let go and are still there. One that has not gone in time is counted again. */
  #going(key: string, { status }: Budget, pods: readonly Pod[]): Readonly<Record<string, string>> {
    const now = this.#parts.clock.now().getTime();
    const left = Object.entries(status?.disruptedPods ?? {}).filter(([name, since]) => {
      const pod = pods.find(({ metadata }) => metadata.name === name);
      return pod && !pod.metadata.deletionTimestamp && now - Date.parse(since) < GOES_WITHIN_MS;
    });
    if (left.length > 0) this.#budgets.add(key, GOES_WITHIN_MS);
    return Object.fromEntries(left);
  }

  /** A share, and what may be missing, are of what the sets of the pods should have; a number of pods is of those that there are. */
  #wanted({ spec }: Budget, pods: readonly Pod[]): { readonly expected: number; readonly desired: number } {
    const { minAvailable, maxUnavailable } = spec ?? {};
    if (maxUnavailable !== undefined) {
      const expected = this.#replicasOf(pods);
      return { expected, desired: Math.max(0, expected - amount(maxUnavailable, expected)) };
    }
    if (typeof minAvailable !== 'string') return { expected: pods.length, desired: minAvailable ?? 0 };
    const expected = this.#replicasOf(pods);
    return { expected, desired: amount(minAvailable, expected) };
  }

  #replicasOf(pods: readonly Pod[]): number {
    const sets = new Set(
      pods.flatMap(({ metadata }) =>
        (metadata.ownerReferences ?? [])
          .filter(({ controller, kind }) => controller && kind === SETS.kind)
          .map(({ name }) => `${metadata.namespace}/${name}`),
      ),
    );
    return [...sets].reduce((sum, key) => sum + (this.#parts.objects.get(SETS, key)?.spec?.replicas ?? 0), 0);
  }
}

function covers({ metadata, spec }: Budget, pod: KubeObject): boolean {
  return metadata.namespace === pod.metadata.namespace && matches(labelSelectorOf(spec?.selector), pod.metadata.labels);
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;

const amount = (said: number | string, of: number): number =>
  typeof said === 'number' ? said : Math.ceil((Number.parseInt(said, 10) * of) / 100);

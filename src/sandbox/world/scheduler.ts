/** Places pods on nodes. A claim that waits for its first consumer gets a volume of the node, or is sent to be provisioned there. */
import { claimsOf } from '../../api/pods.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { timestamp } from '../server/identifiers.ts';
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from './binder.ts';
import { type Condition, conditionsWith } from './conditions.ts';
import { bestMatch } from './matching.ts';
import { type Considered, obstacle, placementFault, type Wanted } from './placement.ts';
import { CLAIMS, CLASSES, type Claim, NODES, type Node, PODS, type Pod, VOLUMES } from './resources.ts';
import { Told } from './told.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

export class Scheduler {
  readonly #parts: WorldParts;
  readonly #told: Told;
  readonly #pods: Upkeep;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#told = new Told(parts, 'default-scheduler');
    const all = () => this.#unplaced();
    this.#pods = new Upkeep(parts, (key) => this.#look(key))
      .watch(PODS, (pod, key) => (isUnplaced(pod) ? [key] : []))
      .watch(NODES, all)
      .watch(CLAIMS, all)
      .watch(VOLUMES, all)
      .watch(CLASSES, all);
  }

  stop(): void {
    this.#pods.stop();
  }

  #look(key: string): void {
    const { objects } = this.#parts;
    const pod = objects.get(PODS, key);
    if (!pod || !isUnplaced(pod)) return;
    const nodes = objects.list(NODES);
    const wanted = this.#wantedBy(pod);
    if (typeof wanted === 'string') {
      this.#fail(pod, `0/${nodes.length} nodes are available: ${wanted}. not found`);
      return;
    }
    const considered = { pod, wanted, volumes: objects.list(VOLUMES) };
    const node = this.#choose(considered, nodes);
    if (!node) {
      this.#fail(pod, placementFault(considered, nodes));
      return;
    }
    if (wanted.filter((one) => !one.volume).every((one) => this.#prepare(one, node, considered)) && !hasUnbound(wanted))
      this.#place(pod, node);
  }

  /** The node that was chosen before, while its claims are being prepared there; or else that with the fewest pods. */
  #choose(considered: Considered, nodes: readonly Node[]): Node | undefined {
    const feasible = nodes.filter((node) => obstacle(considered, node) === undefined);
    const chosen = considered.wanted.map(({ claim }) => claim.metadata.annotations?.[SELECTED_NODE]);
    const before = feasible.find(({ metadata }) => chosen.includes(metadata.name));
    if (before) return before;
    const load = new Map<string, number>();
    for (const { spec } of this.#parts.objects.list(PODS))
      if (spec?.nodeName) load.set(spec.nodeName, (load.get(spec.nodeName) ?? 0) + 1);
    const of = ({ metadata: { name = '' } }: Node) => load.get(name) ?? 0;
    return feasible.toSorted((a, b) => of(a) - of(b))[0];
  }

  /** What is to happen before the pod can be placed: its claims get volumes of this node. */
  #prepare({ claim }: Wanted, node: Node, { volumes }: Considered): boolean {
    const { objects } = this.#parts;
    const volume = bestMatch(claim, volumes, node);
    if (volume) {
      const { namespace = '', name = '', uid = '' } = claim.metadata;
      const claimRef = { kind: CLAIMS.kind, apiVersion: CLAIMS.version, namespace, name, uid };
      const annotations = { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
      const metadata = { ...volume.metadata, annotations };
      if (!volume.spec?.claimRef?.uid)
        objects.update(VOLUMES, { ...volume, metadata, spec: { ...volume.spec, claimRef } });
    } else if (claim.metadata.annotations?.[SELECTED_NODE] !== node.metadata.name) {
      const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node.metadata.name ?? '' };
      objects.update(CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations } });
    }
    return true;
  }

  #place(pod: Pod, node: Node): void {
    const { objects, clock } = this.#parts;
    const { name: nodeName = '' } = node.metadata;
    const bound = objects.update(PODS, { ...pod, spec: { ...pod.spec, nodeName } });
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(clock.now()) };
    this.#setCondition(bound, scheduled);
    const note = `Successfully assigned ${keyOfObject(pod)} to ${nodeName}`;
    this.#told.tell(PODS, pod, { type: 'Normal', reason: 'Scheduled', note, action: 'Binding' });
  }

  #fail(pod: Pod, message: string): void {
    const lastTransitionTime = timestamp(this.#parts.clock.now());
    const failed = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
    this.#setCondition(pod, failed);
    this.#told.tell(PODS, pod, { type: 'Warning', reason: 'FailedScheduling', note: message, action: 'Scheduling' });
  }

  #setCondition(pod: Pod, condition: Condition): void {
    const conditions = conditionsWith(pod.status?.conditions, condition);
    this.#parts.objects.update(PODS, { ...pod, status: { ...pod.status, conditions } }, 'status');
  }

  /** Its claims as they are; or what is wrong with one of them, wherever the pod would be placed. */
  #wantedBy(pod: Pod): readonly Wanted[] | string {
    const { objects } = this.#parts;
    const wanted: Wanted[] = [];
    for (const name of claimsOf(pod)) {
      const claim = objects.get(CLAIMS, `${pod.metadata.namespace}/${name}`);
      if (!claim) return `persistentvolumeclaim ${JSON.stringify(name)} not found`;
      if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim ${JSON.stringify(name)} is being deleted`;
      if (claim.status?.phase === 'Lost')
        return `persistentvolumeclaim ${JSON.stringify(name)} bound to non-existent persistentvolume ${JSON.stringify(claim.spec?.volumeName ?? '')}`;
      const one = this.#asWanted(claim);
      if (!one.volume && one.storageClass?.volumeBindingMode !== 'WaitForFirstConsumer')
        return 'pod has unbound immediate PersistentVolumeClaims';
      wanted.push(one);
    }
    return wanted;
  }

  #asWanted(claim: Claim): Wanted {
    const { objects } = this.#parts;
    const { volumeName = '', storageClassName } = claim.spec ?? {};
    const volume = claim.status?.phase === 'Bound' ? objects.get(VOLUMES, volumeName) : undefined;
    const storageClass = storageClassName ? objects.get(CLASSES, storageClassName) : undefined;
    return { claim, ...(volume && { volume }), ...(storageClass && { storageClass }) };
  }

  #unplaced(): readonly string[] {
    return this.#parts.objects.list(PODS).filter(isUnplaced).map(keyOfObject);
  }
}

const isUnplaced = ({ metadata, spec }: Pod): boolean =>
  !spec?.nodeName &&
  !metadata.deletionTimestamp &&
  (spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler';

const hasUnbound = (wanted: readonly Wanted[]): boolean => wanted.some(({ volume }) => !volume);

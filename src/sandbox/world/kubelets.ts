/**
 * The kubelets of all nodes: pods that were placed start and become ready, pods that are deleted end, and what happens to a node happens
 * to its pods. A node that is switched off says nothing more: after a while it is taken for unreachable, and its pods for lost.
 */
import { claimsOf, hasEnded } from '../../api/pods.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { timestamp } from '../server/identifiers.ts';
import { type Condition, conditionsWith } from './conditions.ts';
import { CLAIMS, NODES, type Node, PODS, type Pod } from './resources.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

/** How long a container takes to start, and to end when it is asked to. */
const STARTING_MS = 1_500;
const ENDING_MS = 800;
/** After so long without a word from it a node counts as unreachable, and so long after that its pods are evicted. */
const SILENT_MS = 50_000;
const EVICTION_MS = 300_000;

const UNREACHABLE = 'node.kubernetes.io/unreachable';

export class Kubelets {
  /** Pods with such an image never start. */
  readonly brokenImages = new Set<string>();
  readonly #parts: WorldParts;
  readonly #pods: Upkeep;
  readonly #nodes: Upkeep;
  /** Nodes that are switched off, since when. */
  readonly #off = new Map<string, number>();
  /** When pods may be ready or gone, by uid. */
  readonly #starts = new Map<string, number>();
  readonly #ends = new Map<string, number>();
  readonly #stopForgetting: () => void;
  #addresses = 0;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#pods = new Upkeep(parts, (key) => this.#look(key))
      .watch(PODS, ({ spec }, key) => (spec?.nodeName ? [key] : []))
      .watch(CLAIMS, ({ metadata }) => this.#podsWith(metadata.namespace, metadata.name));
    this.#nodes = new Upkeep(parts, (key) => this.#lookAtNode(key)).watch(NODES, (_, key) => [key]);
    this.#stopForgetting = parts.objects.onChange(PODS, ({ type, object }) => {
      if (type === 'DELETED') this.#forget(object);
    });
  }

  /** How many pods it waits for. */
  get remembered(): number {
    return this.#starts.size + this.#ends.size;
  }

  stop(): void {
    this.#stopForgetting();
    this.#pods.stop();
    this.#nodes.stop();
  }

  /** The machine stops, and all that runs on it. */
  switchOff(node: string): void {
    this.#off.set(node, this.#parts.clock.monotonic());
    this.#nodes.add(node, SILENT_MS);
  }

  switchOn(node: string): void {
    this.#off.delete(node);
    this.#nodes.add(node);
    for (const key of this.#podsOn(node)) this.#pods.add(key);
  }

  isOff(node: string): boolean {
    return this.#off.has(node);
  }

  #look(key: string): void {
    const pod = this.#parts.objects.get(PODS, key);
    const node = pod?.spec?.nodeName;
    if (!pod || !node) return;
    if (!this.#parts.objects.get(NODES, node)) {
      this.#remove(pod);
      return;
    }
    if (this.#off.has(node)) return;
    if (pod.metadata.deletionTimestamp) this.#end(pod);
    else if (!hasEnded(pod)) this.#start(pod);
  }

  #start(pod: Pod): void {
    if (pod.status?.phase === 'Running' && isReady(pod)) return;
    if (!this.#hasVolumes(pod) || this.#isBroken(pod)) return;
    if (!this.#isDue(this.#starts, pod, STARTING_MS)) return;
    this.#run(pod);
  }

  #run(pod: Pod): void {
    const { objects, clock } = this.#parts;
    const now = timestamp(clock.now());
    const status = pod.status ?? {};
    const podIP = status.podIP ?? addressOf(this.#addresses++);
    const conditions = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'].reduce<
      readonly Condition[]
    >(
      (all, type) => conditionsWith(all, { type, status: 'True', lastTransitionTime: now }),
      conditionsWith(status.conditions, { type: 'PodScheduled', status: 'True', lastTransitionTime: now }),
    );
    const containerStatuses = (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: image,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    }));
    const running = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], startTime: status.startTime ?? now };
    objects.update(PODS, { ...pod, status: { ...status, ...running, conditions, containerStatuses } }, 'status');
  }

  #end(pod: Pod): void {
    if (this.#isDue(this.#ends, pod, ENDING_MS)) this.#remove(pod);
  }

  /** Whoever has removed it. */
  #forget({ metadata: { uid = '' } }: Pod): void {
    this.#starts.delete(uid);
    this.#ends.delete(uid);
  }

  #remove({ metadata }: Pod): void {
    const { uid = '' } = metadata;
    this.#parts.objects.remove(PODS, keyOfObject({ metadata }), { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  /** Whether it is time; if not, the pod is looked at again when it is. */
  #isDue(times: Map<string, number>, pod: Pod, ms: number): boolean {
    const { uid = '' } = pod.metadata;
    const now = this.#parts.clock.monotonic();
    const at = times.get(uid) ?? now + ms;
    if (now >= at) {
      times.delete(uid);
      return true;
    }
    times.set(uid, at);
    this.#pods.add(keyOfObject(pod), at - now);
    return false;
  }

  #lookAtNode(name: string): void {
    const { objects, clock } = this.#parts;
    const node = objects.get(NODES, name);
    if (!node) {
      for (const key of this.#podsOn(name)) this.#pods.add(key);
      return;
    }
    const since = this.#off.get(name);
    if (since === undefined) {
      this.#heard(node);
      return;
    }
    const silentMs = clock.monotonic() - since;
    if (silentMs < SILENT_MS) {
      this.#nodes.add(name, SILENT_MS - silentMs);
      return;
    }
    this.#unheard(node);
    if (silentMs < SILENT_MS + EVICTION_MS) {
      this.#nodes.add(name, SILENT_MS + EVICTION_MS - silentMs);
      return;
    }
    for (const key of this.#podsOn(name)) this.#evict(key);
  }

  #heard(node: Node): void {
    const { taints = [] } = node.spec ?? {};
    const left = (taints ?? []).filter(({ key }) => key !== UNREACHABLE && key !== 'node.kubernetes.io/not-ready');
    const cleared = left.length === taints?.length ? node : this.#withTaints(node, left);
    this.#setReady(cleared, 'True', 'KubeletReady', 'kubelet is posting ready status');
  }

  #unheard(node: Node): void {
    this.#setReady(node, 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.');
    const tainted = this.#parts.objects.get(NODES, node.metadata.name ?? '') ?? node;
    const { taints } = tainted.spec ?? {};
    if (taints?.some(({ key }) => key === UNREACHABLE)) return;
    const added = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: UNREACHABLE, effect }));
    this.#withTaints(tainted, [...(taints ?? []), ...added]);
    for (const key of this.#podsOn(node.metadata.name ?? '')) this.#unready(key);
  }

  #withTaints(node: Node, taints: NonNullable<Node['spec']>['taints']): Node {
    return this.#parts.objects.update(NODES, { ...node, spec: { ...node.spec, ...(taints && { taints }) } });
  }

  #setReady(node: Node, status: string, reason: string, message: string): void {
    const lastTransitionTime = timestamp(this.#parts.clock.now());
    const conditions = conditionsWith(node.status?.conditions, {
      type: 'Ready',
      status,
      reason,
      message,
      lastTransitionTime,
    });
    const isSame = node.status?.conditions?.some((each) => each.type === 'Ready' && each.status === status);
    if (!isSame) this.#parts.objects.update(NODES, { ...node, status: { ...node.status, conditions } }, 'status');
  }

  #unready(key: string): void {
    const { objects, clock } = this.#parts;
    const pod = objects.get(PODS, key);
    if (!pod || !isReady(pod)) return;
    const lastTransitionTime = timestamp(clock.now());
    const conditions = conditionsWith(pod.status?.conditions, { type: 'Ready', status: 'False', lastTransitionTime });
    objects.update(PODS, { ...pod, status: { ...pod.status, conditions } }, 'status');
  }

  #evict(key: string): void {
    const pod = this.#parts.objects.get(PODS, key);
    if (pod && !pod.metadata.deletionTimestamp) this.#parts.objects.remove(PODS, key);
  }

  #podsOn(node: string): readonly string[] {
    return this.#parts.objects
      .list(PODS)
      .filter(({ spec }) => spec?.nodeName === node)
      .map(keyOfObject);
  }

  #podsWith(namespace = '', claim = ''): readonly string[] {
    const pods = this.#parts.objects.list(PODS);
    return pods.filter((pod) => pod.metadata.namespace === namespace && claimsOf(pod).includes(claim)).map(keyOfObject);
  }

  #hasVolumes(pod: Pod): boolean {
    const claims = claimsOf(pod).map((name) => this.#parts.objects.get(CLAIMS, `${pod.metadata.namespace}/${name}`));
    return claims.every((claim) => claim?.status?.phase === 'Bound');
  }

  #isBroken({ spec }: Pod): boolean {
    return (spec?.containers ?? []).some(({ image = '' }) => this.brokenImages.has(image));
  }
}

/** Of this machine, whoever is asked: what runs nowhere must not lead anybody to a stranger. */
const addressOf = (index: number): string => `127.${77 + ((index >> 16) & 63)}.${(index >> 8) & 255}.${index & 255}`;

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;

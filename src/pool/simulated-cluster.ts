/**
 * For tests: a cluster with pools in it. StatefulSets make pods and claims, pods get addresses and become ready, agents hold blobs and
 * drain, people write blobs; and an oracle watches that no agent is let go that holds something, and that nothing is done twice.
 */
import {
  aClaimIsDeletedOnlyWhenItIsEmpty,
  replicasDropOnlyAfterEveryLeavingAgentIsEmpty,
} from '../../test/invariants/pool.ts';
import type { PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import type { Pod } from '../api/pods.ts';
import type { StatefulSet } from '../api/stateful-sets.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { POOL_LABEL, type PvPool, type PvPoolSpec, REVISION_LABEL } from './contract.ts';
import { memberOfClaim } from './names.ts';
import { SimulatedAgents, SimulatedDisk, type Temper } from './simulated-agents.ts';
import { type ApiChange, SimulatedApi } from './simulated-api.ts';
import { type Fault, SimulatedProcess } from './simulated-process.ts';

const POOL = 'default/data';
const SETS = 'statefulsets';
const PODS = 'pods';
const CLAIMS = 'persistentvolumeclaims';
const POOLS = 'pvpools';

const STARTING_MS = 2_000;
const STOPPING_MS = 2_000;
const TICK_MS = 1_000;

const SPEC: PvPoolSpec = {
  image: 'holdfast:1',
  numPVs: 3,
  pvSizeGB: 1,
  storageClass: 'fast',
  args: ['storage-agent'],
};

export class SimulatedCluster {
  readonly clock = new VirtualClock();
  readonly api = new SimulatedApi(this.clock);
  readonly agents = new SimulatedAgents();
  readonly violations: string[] = [];
  /** Every call of the operator that may change something, oldest first. */
  readonly calls: string[] = [];
  /** The blobs that somebody was told are stored. */
  readonly stored = new Map<string, number>();
  /** By the number of the call, the first being 1. */
  readonly faults = new Map<number, Fault>();
  /** How late caches are. */
  lagMs: () => number | undefined = () => 10;
  /** Images of the original: its agents speak the two endpoints only. */
  isOriginal = false;
  /** Pods with this image never start. */
  brokenImage: string | undefined;
  /** Collections in which the server makes nothing, and what it says. */
  readonly refusals = new Map<string, string>();
  process: SimulatedProcess | undefined;
  readonly #disks = new Map<string, SimulatedDisk>();
  #addresses = 0;
  #blobs = 0;

  constructor() {
    this.api.onChange((change) => this.#watch(change));
    this.api.refusals = this.refusals;
    this.api.put('storageclasses', { metadata: { name: 'fast' }, allowVolumeExpansion: true } as KubeObject);
    this.clock.after(TICK_MS, () => this.#tick());
  }

  /** Where there is none, or it has died. */
  start(): SimulatedProcess {
    const { clock, api, agents } = this;
    this.process?.kill();
    this.process = new SimulatedProcess({
      clock,
      api,
      agents,
      strike: (call) => {
        this.calls.push(call);
        return this.faults.get(this.calls.length);
      },
      lagMs: () => this.lagMs(),
    });
    return this.process;
  }

  declare(spec: Partial<PvPoolSpec> = {}): void {
    this.api.put(POOLS, { metadata: { namespace: 'default', name: 'data' }, spec: { ...SPEC, ...spec } } as KubeObject);
  }

  respec(spec: Partial<PvPoolSpec>): void {
    this.api.change<PvPool>(POOLS, POOL, (pool) => ({ ...pool, spec: { ...pool.spec, ...spec } }));
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    this.api.change<PvPool>(POOLS, POOL, (pool) => ({
      ...pool,
      metadata: { ...pool.metadata, annotations: { ...pool.metadata.annotations, ...annotations } },
    }));
  }

  get pool(): PvPool {
    const pool = this.api.get<PvPool>(POOLS, POOL);
    if (!pool) throw new Error('there is no pool');
    return pool;
  }

  get set(): StatefulSet | undefined {
    return this.api.get<StatefulSet>(SETS, `${POOL}-sts`);
  }

  get pods(): readonly Pod[] {
    return this.api.all<Pod>(PODS);
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.api.all<PersistentVolumeClaim>(CLAIMS);
  }

  /** A sentence of a condition. */
  says(type: 'Ready' | 'Progressing' | 'Degraded'): string {
    const condition = this.pool.status?.conditions?.find((each) => each.type === type);
    return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
  }

  hasDisk(ordinal: number): boolean {
    return this.#diskOf(ordinal) !== undefined;
  }

  #diskOf(ordinal: number): SimulatedDisk | undefined {
    const claim = this.api.get(CLAIMS, `default/vol-data-sts-${ordinal}`);
    return this.#disks.get(claim?.metadata.uid ?? '');
  }

  diskOf(ordinal: number): SimulatedDisk {
    const disk = this.#diskOf(ordinal);
    if (!disk) throw new Error(`there is no disk ${ordinal}`);
    return disk;
  }

  temper(ordinal: number, temper: Temper): void {
    this.agents.tempers.set(this.diskOf(ordinal), temper);
  }

  /** Somebody stores blobs, at whichever agents take them. */
  write(count: number, size = 10): void {
    for (let left = count; left > 0; left--) {
      const key = `blob-${++this.#blobs}`;
      const ips = [...this.agents.running.keys()];
      const turned = ips.map((_, index) => ips[(index + this.#blobs) % ips.length] ?? '');
      if (turned.some((ip) => this.agents.store(ip, key, size))) this.stored.set(key, size);
    }
  }

  /** Of what is stored: what none of the members has. */
  get lost(): readonly string[] {
    const found = new Set([...this.agents.running.values()].flatMap(({ disk }) => [...disk.blobs.keys()]));
    return [...this.stored.keys()].filter((key) => !found.has(key));
  }

  /** One that is there, and all is well with it. */
  static async withPool(spec: Partial<PvPoolSpec> = {}, prepare: (cluster: SimulatedCluster) => void = () => {}) {
    const cluster = new SimulatedCluster();
    prepare(cluster);
    cluster.declare(spec);
    if (!(await cluster.until(() => cluster.isReady())))
      throw new Error(`it does not get ready: ${cluster.says('Ready')}`);
    return cluster;
  }

  /** Ready, with so many agents and nothing else. */
  async untilReadyWith(pods: number, mostSeconds?: number): Promise<boolean> {
    return this.until(() => this.isReady() && this.pods.length === pods, mostSeconds);
  }

  /** With a process that is started whenever it has died. Gives back whether it has come to that. */
  async until(isSo: () => boolean, mostSeconds = 600): Promise<boolean> {
    for (let second = 0; second < mostSeconds; second++) {
      if (this.process?.isDead !== false) this.start();
      await this.clock.advance(TICK_MS);
      if (isSo()) return true;
    }
    return false;
  }

  async pass(seconds: number): Promise<void> {
    await this.until(() => false, seconds);
  }

  /** And nothing is done any more. */
  isReady(): boolean {
    const { status, metadata } = this.pool;
    const isAtRest = this.says('Progressing').startsWith('False');
    return status?.phase === 'Ready' && isAtRest && status.observedGeneration === metadata.generation;
  }

  /** As when a node is lost, or somebody deletes it: it comes back under another uid and address. */
  losePod(ordinal: number): void {
    this.#stop(`default/data-sts-${ordinal}`);
  }

  /** With what is on it. The pod goes, too. */
  loseClaim(ordinal: number): void {
    this.api.remove(CLAIMS, `default/vol-data-sts-${ordinal}`);
    this.losePod(ordinal);
  }

  #tick(): void {
    this.clock.after(TICK_MS, () => this.#tick());
    for (const set of this.api.all<StatefulSet>(SETS)) this.#control(set);
    for (const claim of this.claims) this.#provision(claim);
    this.agents.work();
  }

  /** What the controller of StatefulSets does, as far as it matters here. */
  #control(set: StatefulSet): void {
    const { name = '' } = set.metadata;
    const replicas = set.spec?.replicas ?? 1;
    const revision = revisionOf(set);
    const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
    const current = set.status?.currentRevision ?? revision;
    const pods = this.pods.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set.metadata.uid);
    for (const pod of pods) if (ordinalOf(pod) >= replicas) this.#stopLater(pod);
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      if (this.api.get(PODS, `default/${name}-${ordinal}`)) continue;
      this.#make(set, ordinal, ordinal >= partition ? revision : current);
    }
    this.#update(pods, partition, revision);
    const isDone = partition === 0 && pods.every((pod) => pod.metadata.labels?.[REVISION_LABEL] === revision);
    this.#settle(set, { updateRevision: revision, currentRevision: isDone ? revision : current });
  }

  /** From the highest on, each when the one before is well; how those below are does not matter. */
  #update(pods: readonly Pod[], partition: number, revision: string): void {
    for (const pod of pods.toSorted((a, b) => ordinalOf(b) - ordinalOf(a))) {
      if (ordinalOf(pod) < partition) return;
      const isOld = pod.metadata.labels?.[REVISION_LABEL] !== revision;
      if (isOld) this.#stopLater(pod);
      if (isOld || !isReady(pod)) return;
    }
  }

  #settle(set: StatefulSet, revisions: { readonly updateRevision: string; readonly currentRevision: string }): void {
    const status = { observedGeneration: set.metadata.generation ?? 1, ...revisions };
    if (JSON.stringify(set.status) === JSON.stringify(status)) return;
    this.api.change<StatefulSet>(SETS, `default/${set.metadata.name}`, (now) => ({ ...now, status }));
  }

  #make(set: StatefulSet, ordinal: number, revision: string): void {
    const { name, uid = '' } = set.metadata;
    const pool = set.spec?.selector?.matchLabels?.[POOL_LABEL] ?? '';
    const claimName = `vol-${name}-${ordinal}`;
    const labels = { [POOL_LABEL]: pool };
    if (!this.api.get(CLAIMS, `default/${claimName}`)) {
      const template = set.spec?.volumeClaimTemplates?.[0]?.spec;
      const status = { phase: 'Bound', capacity: template?.resources?.requests };
      this.api.put(CLAIMS, {
        metadata: { namespace: 'default', name: claimName, labels },
        spec: template,
        status,
      } as KubeObject);
    }
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: `${name}`, uid, controller: true };
    const metadata = {
      namespace: 'default',
      name: `${name}-${ordinal}`,
      labels: { ...labels, [REVISION_LABEL]: revision },
    };
    const pod = this.api.put(PODS, {
      metadata: { ...metadata, ownerReferences: [owner] },
      status: { phase: 'Pending' },
    } as KubeObject);
    const image = set.spec?.template?.spec?.containers?.[0]?.image;
    if (image !== this.brokenImage) this.clock.after(STARTING_MS, () => this.#run(pod, claimName));
  }

  /** The kubelet's part. */
  #run({ metadata }: KubeObject, claimName: string): void {
    const key = `default/${metadata.name}`;
    const claim = this.api.get(CLAIMS, `default/${claimName}`);
    if (this.api.get(PODS, key)?.metadata.uid !== metadata.uid || !claim) return;
    const ip = `10.0.${Math.floor(++this.#addresses / 250)}.${(this.#addresses % 250) + 1}`;
    const disk = this.#disks.get(claim.metadata.uid ?? '') ?? new SimulatedDisk();
    this.#disks.set(claim.metadata.uid ?? '', disk);
    if (this.isOriginal) disk.state = 'Ready';
    this.agents.running.set(ip, { name: metadata.name ?? '', disk, isOriginal: this.isOriginal });
    this.api.change<Pod>(PODS, key, (pod) => ({
      ...pod,
      status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: 'True' }] },
    }));
  }

  #stopLater(pod: Pod): void {
    if (pod.metadata.deletionTimestamp) return;
    const key = `default/${pod.metadata.name}`;
    const deletionTimestamp = this.clock.now().toISOString();
    this.api.change<Pod>(PODS, key, (now) => ({ ...now, metadata: { ...now.metadata, deletionTimestamp } }));
    this.clock.after(STOPPING_MS, () => {
      if (this.api.get(PODS, key)?.metadata.uid === pod.metadata.uid) this.#stop(key);
    });
  }

  #stop(key: string): void {
    const pod = this.api.get<Pod>(PODS, key);
    if (pod?.status?.podIP) this.agents.running.delete(pod.status.podIP);
    this.api.remove(PODS, key);
  }

  /** Volumes grow as they are asked to. */
  #provision(claim: PersistentVolumeClaim): void {
    const requests = claim.spec?.resources?.requests;
    if (claim.status?.capacity?.storage === requests?.storage) return;
    const key = `default/${claim.metadata.name}`;
    this.api.change<PersistentVolumeClaim>(CLAIMS, key, (now) => ({
      ...now,
      status: { ...now.status, ...(requests && { capacity: requests }) },
    }));
  }

  /** The oracle. */
  #watch({ collection, key, before, after }: ApiChange): void {
    if (collection === SETS && before && after) this.#watchReplicas(before, after);
    if (collection === CLAIMS && before && !after) this.#watchClaim(key, before);
    if (collection === PODS && before && !after) this.#watchPod(before);
  }

  #watchReplicas(before: StatefulSet, after: StatefulSet): void {
    const [from, to] = [before.spec?.replicas ?? 1, after.spec?.replicas ?? 1];
    if (from === to) return;
    const { operation } = this.pool.status ?? {};
    if (to > from && operation && to !== operation.from && !this.#isByAPerson)
      this.violations.push(`raised from ${from} to ${to} during a scale down`);
    if (to > from || this.#isByAPerson) return;
    if (!operation?.drained)
      this.violations.push(`lowered from ${from} to ${to}, and no operation says that all are drained`);
    const blobsOf = (ordinal: number) => {
      const claim = this.api.get(CLAIMS, `default/vol-data-sts-${ordinal}`);
      return this.#disks.get(claim?.metadata.uid ?? '')?.blobs.size ?? 0;
    };
    this.violations.push(...replicasDropOnlyAfterEveryLeavingAgentIsEmpty({ from, to, blobsOf }));
  }

  /** What a person does behind the operator's back is not the operator's fault. */
  #isByAPerson = false;

  asAPerson(act: () => void): void {
    this.#isByAPerson = true;
    act();
    this.#isByAPerson = false;
  }

  #watchClaim(key: string, { metadata }: KubeObject): void {
    const disk = this.#disks.get(metadata.uid ?? '');
    if (this.#isByAPerson) for (const blob of disk?.blobs.keys() ?? []) this.stored.delete(blob);
    else this.violations.push(...aClaimIsDeletedOnlyWhenItIsEmpty(key, disk?.blobs.size ?? 0));
  }

  #watchPod({ metadata }: KubeObject): void {
    const claim = memberOfClaim(`vol-${metadata.name}`);
    if (!claim) this.violations.push(`pod ${metadata.name} is none of a pool`);
  }
}

const ordinalOf = ({ metadata: { name = '' } }: Pod): number => Number(name.slice(name.lastIndexOf('-') + 1));

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Short, and another for every other template. */
function revisionOf({ metadata, spec }: StatefulSet): string {
  let hash = 0;
  for (const char of JSON.stringify(spec?.template ?? {})) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_000_007;
  return `${metadata.name}-${hash}`;
}

/**
 * The story of the pool job: a pool grows and shrinks while people store blobs in it, pods are lost, and in the end it is as large as
 * was asked for last, and every blob that was ever acknowledged is there.
 */
import {
  aClaimIsDeletedOnlyWhenItIsEmpty,
  anAcknowledgedBlobIsNeverLost,
  replicasDropOnlyAfterEveryLeavingAgentIsEmpty,
} from '../../../test/invariants/pool.ts';
import { NODES } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { claimsOf, PODS, type Pod } from '../../api/pods.ts';
import { STATEFUL_SETS, type StatefulSet } from '../../api/stateful-sets.ts';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import type { Random } from '../../kit/backoff.ts';
import type { Known } from '../../kit/known.ts';
import { customResourceDefinition } from '../../kit/manifests/crd.ts';
import type { Agents } from '../../pool/agents.ts';
import { PV_POOLS, type PvPoolSpec } from '../../pool/contract.ts';
import { pool } from '../../pool/controller.ts';
import { pvPoolResource } from '../../pool/custom-resource.ts';
import { SimulatedAgents, SimulatedDisk } from '../../pool/simulated-agents.ts';
import { poolSpec } from '../../pool/spec.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../sandbox/kinds/resources.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import type { Life } from '../../sandbox/simulate/process.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import { PROVISIONER } from '../../sandbox/world/provisioner.ts';
import { edit, removeIfThere, repeated, whenGone } from './acts.ts';

const MINUTES = 60_000;
const NAMESPACE = 'default';
const POOL = 'data';
const KEY = `${NAMESPACE}/${POOL}`;
const SET = `${KEY}-sts`;
const BROKEN_IMAGE = 'broken:1';
const CLASS = 'fast';
const NODE_COUNT = 3;
const MOST_AGENTS = 5;
const AT_LAST = 2;
const RESIZES = 4;
const WRITES = 12;
const LAST_MOVE_MS = 12 * MINUTES;
/** How often an agent that drains has moved a blob. */
const WORK_MS = 1_000;

export const poolStory: Story = {
  name: 'pool',
  stage: (simulation) => new PoolStage(simulation),
  storyMs: 15 * MINUTES,
  settleMs: 45 * MINUTES,
};

class PoolStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #simulation: Simulation;
  readonly #agents = new SimulatedAgents();
  /** By the uid of the claim. */
  readonly #disks = new Map<string, SimulatedDisk>();
  /** What somebody was told is stored. */
  readonly #stored = new Set<string>();
  /** The uids of claims that somebody has deleted, with all that is on them. */
  readonly #givenUp = new Set<string>();
  #blobs = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    const { objects, world } = simulation;
    objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(pvPoolResource));
    grant(objects, poolSpec);
    for (let index = 0; index < NODE_COUNT; index++) world.addNode(`node-${index}`);
    world.kubelets.brokenImages.add(BROKEN_IMAGE);
    objects.create(STORAGE_CLASSES, {
      metadata: { name: CLASS },
      provisioner: PROVISIONER,
      allowVolumeExpansion: true,
    });
    objects.onChange(PODS, ({ type, object }) => this.#podChanges(object, type === 'DELETED'));
    objects.onChange(STATEFUL_SETS, ({ object, old }) => this.#setChanges(object, old));
    objects.onChange(PERSISTENT_VOLUME_CLAIMS, ({ type, object }) => {
      if (type === 'DELETED') this.#claimGoes(object);
    });
    simulation.every(WORK_MS, () => this.#agents.work());
    const setUp: JobProcesses['job']['setUp'] = (parts, life) =>
      pool(parts, { secret: (bytes) => 'ab'.repeat(bytes), agents: this.#agentsFor(life) });
    this.jobs = [{ job: { name: 'pool', election: true, setUp }, processes: 2, user: accountOf('pool') }];
  }

  /** Asked over a network on which anything can be lost. */
  #agentsFor(life: Life): Agents {
    const { clock } = this.#simulation;
    const ask = async <T>(call: string, act: () => Known<T>, timeoutMs = 2_000): Promise<Known<T>> => {
      try {
        return await life.perform(call, act, timeoutMs);
      } catch {
        return { known: false, why: 'it did not answer, as simulated' };
      }
    };
    return {
      status: (to, token) => ask(`ASK ${to.name}`, () => this.#agents.status(to, token)),
      isEmpty: (to) => ask(`LIST ${to.name}`, () => this.#agents.isEmpty(to)),
      order: (to, _token, order) =>
        ask(`${order.kind.toUpperCase()} ${to.name}`, () => this.#agents.order(to, order, clock.now()), 10_000),
    };
  }

  steps(random: Random): readonly Step[] {
    const at = (most: number) => Math.floor(random() * most);
    const { objects } = this.#simulation;
    const declare = { ms: 0, what: 'declares a pool of 3', act: () => this.#declare(3) };
    const resizes = Array.from({ length: RESIZES }, () =>
      this.#resize(MINUTES + at(LAST_MOVE_MS), 1 + at(MOST_AGENTS)),
    );
    const writes = Array.from({ length: WRITES }, () => ({
      ms: 30_000 + at(LAST_MOVE_MS),
      what: 'stores blobs',
      act: () => this.#store(4),
    }));
    const losses = Array.from({ length: 2 }, () => {
      const name = `${POOL}-sts-${at(MOST_AGENTS)}`;
      const act = () => removeIfThere(objects, PODS, `${NAMESPACE}/${name}`);
      return { ms: MINUTES + at(LAST_MOVE_MS), what: `${name} is lost`, act };
    });
    /** When what was stored before may have been given up with its claims. */
    const atLast = { ms: 2 * LAST_MOVE_MS, what: 'stores blobs', act: () => this.#store(4) };
    return [declare, ...resizes, ...writes, ...losses, this.#resize(LAST_MOVE_MS + 2 * MINUTES, AT_LAST), atLast];
  }

  changes(random: Random): readonly Change[] {
    const { objects, world } = this.#simulation;
    const ms = Math.floor((0.2 + random() * 0.5) * LAST_MOVE_MS);
    const renew = (image: string) =>
      edit(objects, PV_POOLS, KEY, (known) => ({ ...known, spec: { ...known.spec, image } }));
    return [
      {
        name: 'the stateful set is deleted and its pods are left',
        steps: [{ ms, what: 'deletes the stateful set', act: () => this.#orphan() }],
      },
      {
        name: 'a rival raises the replicas again and again',
        steps: repeated(ms, { times: 4, everyMs: 60_000 }, 'a rival wants one more', () => this.#raise()),
      },
      {
        name: 'the image is broken for a while',
        steps: [
          { ms, what: 'wants an image that does not start', act: () => renew(BROKEN_IMAGE) },
          { ms: ms + 3 * MINUTES, what: 'wants the first image', act: () => renew('holdfast:1') },
        ],
      },
      {
        name: 'the pool is deleted and declared anew with the same name',
        steps: [{ ms, what: 'deletes the pool and declares it anew', act: () => this.#declareAnew() }],
      },
      {
        name: 'a claim is given up, and made anew with the same name',
        steps: [{ ms, what: `gives up the claim of ${POOL}-sts-0`, act: () => this.#giveUp(`${POOL}-sts-0`) }],
      },
      {
        name: 'a node is called otherwise',
        steps: [{ ms, what: 'node-0 is called node-9', act: () => this.#rename('node-0', 'node-9') }],
      },
      {
        name: 'a node fails and comes back',
        steps: [
          { ms, what: 'node-0 fails', act: () => world.kubelets.switchOff('node-0') },
          { ms: ms + 2 * MINUTES, what: 'node-0 is back', act: () => world.kubelets.switchOn('node-0') },
        ],
      },
    ];
  }

  /** As large as it is: what is on the claims of others would be out of reach. */
  #declareAnew(): void {
    const { objects } = this.#simulation;
    const { spec } = objects.get(PV_POOLS, KEY) ?? {};
    if (!spec) return;
    const numPVs = Math.max(spec.numPVs, objects.get(STATEFUL_SETS, SET)?.spec?.replicas ?? 0);
    objects.remove(PV_POOLS, KEY);
    whenGone(this.#simulation, PV_POOLS, KEY, () => this.#declare(numPVs));
  }

  /** With all that is on it; as the page of the pool says. */
  #giveUp(pod: string): void {
    const { objects } = this.#simulation;
    const key = `${NAMESPACE}/vol-${pod}`;
    this.#givenUp.add(objects.get(PERSISTENT_VOLUME_CLAIMS, key)?.metadata.uid ?? '');
    removeIfThere(objects, PERSISTENT_VOLUME_CLAIMS, key);
    removeIfThere(objects, PODS, `${NAMESPACE}/${pod}`);
  }

  /** A machine joins under another name as another node. */
  #rename(from: string, to: string): void {
    const { objects, world } = this.#simulation;
    removeIfThere(objects, NODES, from);
    world.addNode(to);
  }

  #orphan(): void {
    const { objects } = this.#simulation;
    if (objects.get(STATEFUL_SETS, SET)) objects.remove(STATEFUL_SETS, SET, { propagationPolicy: 'Orphan' });
  }

  #raise(): void {
    edit(this.#simulation.objects, STATEFUL_SETS, SET, ({ spec, ...set }) => ({
      ...set,
      spec: { ...spec, replicas: (spec?.replicas ?? 0) + 1 },
    }));
  }

  #declare(numPVs: number): void {
    const spec: PvPoolSpec = { image: 'holdfast:1', numPVs, pvSizeGB: 1, storageClass: CLASS, args: ['storage-agent'] };
    this.#simulation.objects.create(PV_POOLS, { metadata: { name: POOL, namespace: NAMESPACE }, spec });
  }

  #resize(ms: number, numPVs: number): Step {
    const { objects } = this.#simulation;
    const act = () => edit(objects, PV_POOLS, KEY, (known) => ({ ...known, spec: { ...known.spec, numPVs } }));
    return { ms, what: `wants ${numPVs} agents`, act };
  }

  #store(count: number): void {
    for (let left = count; left > 0; left--) {
      const key = `blob-${++this.#blobs}`;
      const ips = [...this.#agents.running.keys()];
      const turned = ips.map((_, index) => ips[(index + this.#blobs) % ips.length] ?? '');
      if (turned.some((ip) => this.#agents.store(ip, key, 10))) this.#stored.add(key);
    }
  }

  /** The agent runs while its pod is ready. Its disk is the claim's. */
  #podChanges(pod: Pod, isGone: boolean): void {
    if (!isOurs(pod)) return;
    const { podIP: ip, conditions } = pod.status ?? {};
    if (!ip) return;
    const isReady = (conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
    const [claimName = ''] = claimsOf(pod);
    const claim = this.#simulation.objects.get(PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claimName}`);
    if (isGone || !isReady || !claim) {
      this.#agents.running.delete(ip);
      return;
    }
    const { uid = '' } = claim.metadata;
    const disk = this.#disks.get(uid) ?? new SimulatedDisk();
    this.#disks.set(uid, disk);
    this.#agents.running.set(ip, { name: pod.metadata.name ?? '', disk, isOriginal: false });
  }

  #setChanges(set: StatefulSet, old: StatefulSet | undefined): void {
    const [from, to] = [old?.spec?.replicas ?? 0, set.spec?.replicas ?? 0];
    const { objects } = this.#simulation;
    const claimOf = (ordinal: number) =>
      objects.get(PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/vol-${set.metadata.name}-${ordinal}`);
    const blobsOf = (ordinal: number) => this.#blobsOn(claimOf(ordinal));
    for (const each of replicasDropOnlyAfterEveryLeavingAgentIsEmpty({ from, to, blobsOf }))
      this.#simulation.violated(each);
  }

  #blobsOn(claim: PersistentVolumeClaim | undefined): number {
    return this.#disks.get(claim?.metadata.uid ?? '')?.blobs.size ?? 0;
  }

  #claimGoes(claim: PersistentVolumeClaim): void {
    const { uid = '' } = claim.metadata;
    if (this.#givenUp.has(uid)) {
      for (const key of this.#disks.get(uid)?.blobs.keys() ?? []) this.#stored.delete(key);
      return;
    }
    for (const each of aClaimIsDeletedOnlyWhenItIsEmpty(claim.metadata.name ?? '', this.#blobsOn(claim)))
      this.#simulation.violated(each);
  }

  outcome(): unknown {
    const { objects } = this.#simulation;
    const { status } = objects.get(PV_POOLS, KEY) ?? {};
    return {
      phase: status?.phase,
      conditions: status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`),
      operation: status?.operation,
      replicas: objects.list(STATEFUL_SETS).map(({ spec }) => spec?.replicas),
      pods: objects
        .list<Pod>(PODS)
        .filter(isOurs)
        .map(({ metadata }) => metadata.name),
    };
  }

  wrong(): readonly string[] {
    const found = new Set([...this.#agents.running.values()].flatMap(({ disk }) => [...disk.blobs.keys()]));
    const { status } = this.#simulation.objects.get(PV_POOLS, KEY) ?? {};
    const isReady = status?.phase === 'Ready' && status.readyReplicas === AT_LAST;
    return [
      ...anAcknowledgedBlobIsNeverLost(this.#stored, found),
      ...(isReady ? [] : [`the pool is not ready: ${JSON.stringify(status?.conditions)}`]),
      ...(this.#stored.size > 0 ? [] : ['nothing could be stored']),
    ];
  }
}

const isOurs = ({ metadata }: Pod): boolean => metadata.name?.startsWith(`${POOL}-sts-`) === true;

/** For tests: exports in a few words, and a cluster that they are restored in. */

import { FilledViews } from '../../api/filled-views.ts';
import { NAMESPACES } from '../../api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { CLAIMS, SimulatedCluster, VOLUMES } from '../../api/simulated-cluster.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { atOnce } from '../../kit/in-turns.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import type { KubeObject, ObjectMeta } from '../../kit/kube/resource.ts';
import type { Transport } from '../../kit/kube/transport.ts';
import { RECOVERY_LABEL, SYNC_ENABLED, SYNC_LABEL } from '../contract.ts';
import { captured, documentOf, readDocument } from '../export/document.ts';
import { applyPlan } from './apply.ts';
import { decide } from './decide.ts';
import { CLAIM_INDEXES, projectClaim, projectNamespace, projectVolume, VOLUME_INDEXES } from './local.ts';
import { outlining } from './outline.ts';
import type { RecoveryPlan } from './plan.ts';
import type { RestoreSpec, Seen } from './seen.ts';
import type { Writing, Written } from './writing.ts';

/** The name of the resource. */
export const SYNC = 'dr';
/** What a restored object is known by. */
export const OURS = { [RECOVERY_LABEL]: SYNC };

type Spec = Readonly<Record<string, unknown>>;

/** As it stands in an export: on NFS, in scope, with all that belongs to the cluster that it comes from. */
export const aVolume = (name: string, spec: Spec = {}, metadata: ObjectMeta = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: {
    name,
    uid: `there-${name}`,
    resourceVersion: '1234',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { [SYNC_LABEL]: SYNC_ENABLED },
    finalizers: ['kubernetes.io/pv-protection'],
    ...metadata,
  },
  spec: {
    accessModes: ['ReadWriteMany'],
    capacity: { storage: '10Gi' },
    ...(spec.csi || spec.hostPath || spec.local ? {} : { nfs: { server: '10.1.2.3', path: `/export/${name}` } }),
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'shared',
    volumeMode: 'Filesystem',
    ...spec,
  },
  status: { phase: spec.claimRef ? 'Bound' : 'Available' },
});

/** `key` is `namespace/name`. */
export const aClaim = (key: string, spec: Spec = {}, metadata: ObjectMeta = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    ...refTo(key),
    uid: `there-${key}`,
    resourceVersion: '1234',
    labels: { [SYNC_LABEL]: SYNC_ENABLED },
    finalizers: ['kubernetes.io/pvc-protection'],
    ...metadata,
  },
  spec: {
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: '10Gi' } },
    storageClassName: 'shared',
    ...spec,
  },
  status: { phase: spec.volumeName ? 'Bound' : 'Pending' },
});

export const claimRefTo = (key: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  ...refTo(key),
  uid: `there-${key}`,
  resourceVersion: '99',
});

function refTo(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

export interface Exported {
  readonly volumes?: readonly PersistentVolume[];
  readonly claims?: readonly PersistentVolumeClaim[];
}

/** A volume and the claim that is bound to it. */
export const aPair = (name: string, key = `apps/${name}`, spec: Spec = {}): Required<Exported> => ({
  volumes: [aVolume(name, { claimRef: claimRefTo(key), ...spec })],
  claims: [aClaim(key, { volumeName: name })],
});

export const together = (...exports: readonly Exported[]): Required<Exported> => ({
  volumes: exports.flatMap(({ volumes = [] }) => volumes),
  claims: exports.flatMap(({ claims = [] }) => claims),
});

export const pairs = (count: number, from = 0): Required<Exported> =>
  together(...Array.from({ length: count }, (_, index) => aPair(`v${from + index}`)));

export const bodyOf = ({ volumes = [], claims = [] }: Exported): Buffer =>
  documentOf({
    storageClasses: [],
    volumes: volumes.map((volume) => captured(PERSISTENT_VOLUMES, volume)),
    claims: claims.map((claim) => captured(PERSISTENT_VOLUME_CLAIMS, claim)),
  });

/** A cluster of which everything is seen at once, with the part of the binder that matters here. */
export class RecoveryWorld {
  readonly cluster = new SimulatedCluster(new VirtualClock());
  /** Every write that was asked for, as `POST persistentvolumes`. */
  readonly writes: string[] = [];
  /** Called before each request; what it throws is what becomes of the request. */
  beforeRequest: (method: string, path: string) => void = () => {};
  /** Called after each write was carried out, before it is answered. */
  afterWrite: (count: number) => void = () => {};
  expandingClasses: ReadonlySet<string> = new Set();
  readonly #views = new FilledViews();
  readonly #volumes = this.#views.view(PERSISTENT_VOLUMES, { project: projectVolume, indexes: VOLUME_INDEXES });
  readonly #claims = this.#views.view(PERSISTENT_VOLUME_CLAIMS, { project: projectClaim, indexes: CLAIM_INDEXES });
  readonly #namespaces = this.#views.view(NAMESPACES, { project: projectNamespace });

  constructor(...namespaces: readonly string[]) {
    for (const name of ['default', 'kube-system', ...namespaces])
      this.cluster.put('namespaces', { metadata: { name } });
  }

  /** As somebody else makes it: not with the uid, version and status of an export. */
  has(object: KubeObject): KubeObject {
    const { uid: _, resourceVersion: __, ...metadata } = object.metadata;
    const collection = metadata.namespace === undefined ? VOLUMES : CLAIMS;
    return this.cluster.put(collection, { ...object, metadata, ...{ status: {} } });
  }

  get volumes(): readonly PersistentVolume[] {
    return this.cluster.volumes;
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.cluster.all(CLAIMS);
  }

  volume(name: string): PersistentVolume | undefined {
    return this.cluster.volume(name);
  }

  claim(key: string): PersistentVolumeClaim | undefined {
    return this.claims.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key);
  }

  change<T extends KubeObject>(object: T | undefined, change: (object: T) => T): void {
    if (object) this.cluster.put(object.metadata.namespace === undefined ? VOLUMES : CLAIMS, change(object));
  }

  seen(exported: Exported, spec: RestoreSpec = {}): Seen {
    this.#views.fill(this.cluster);
    const document = readDocument(bodyOf(exported));
    const outline = atOnce(outlining(document));
    const [volumes, claims, namespaces] = [this.#volumes, this.#claims, this.#namespaces];
    const { expandingClasses } = this;
    return { sync: SYNC, spec, document, outline, volumes, claims, namespaces, expandingClasses };
  }

  plan(exported: Exported, spec: RestoreSpec = {}): RecoveryPlan {
    return decide(this.seen(exported, spec));
  }

  apply(plan: RecoveryPlan, options: Partial<Writing> = {}): Promise<Written> {
    return applyPlan(plan, { ...this.writing(), ...options });
  }

  async restore(exported: Exported, spec: RestoreSpec = {}): Promise<RecoveryPlan> {
    const plan = this.plan(exported, spec);
    await this.apply(plan);
    this.bind();
    return plan;
  }

  writing(signal: AbortSignal = new AbortController().signal): Writing {
    return { client: this.client(), sync: SYNC, signal };
  }

  client(): KubeClient {
    return new KubeClient({ transport: this.#transport(), clock: new VirtualClock(), random: () => 0.5 });
  }

  #transport(): Transport {
    return {
      request: async (request) => {
        request.signal.throwIfAborted();
        await Promise.resolve();
        request.beforeSend?.();
        this.beforeRequest(request.method, request.path);
        if (request.method === 'GET') return this.cluster.answer(request);
        this.writes.push(`${request.method} ${request.path.replace(/\?.*/, '')}`);
        const answer = this.cluster.answer(request);
        this.afterWrite(this.writes.length);
        return answer;
      },
      close: async () => {},
    };
  }

  /** Binds those that name each other or of which one names the other that is free; and frees what has lost its claim. */
  bind(): void {
    for (const volume of this.volumes) this.#release(volume);
    for (const claim of this.claims) this.#bind(claim);
  }

  #release(volume: PersistentVolume): void {
    const { claimRef } = volume.spec ?? {};
    const claim = this.claim(`${claimRef?.namespace}/${claimRef?.name}`);
    if (!claimRef?.uid || claim?.metadata.uid === claimRef.uid || volume.status?.phase === 'Released') return;
    this.change(volume, (one) => ({ ...one, status: { phase: 'Released' } }));
    if (volume.metadata.deletionTimestamp) this.cluster.remove(volume.metadata.name ?? '');
  }

  #bind(claim: PersistentVolumeClaim): void {
    const { namespace = '', name = '', uid = '' } = claim.metadata;
    if (claim.status?.phase === 'Bound' || claim.metadata.deletionTimestamp) return;
    const wanted = claim.spec?.volumeName;
    const found = this.volumes.find(({ metadata, spec }) => {
      const isReserved = spec?.claimRef?.namespace === namespace && spec.claimRef.name === name;
      const isFree = spec?.claimRef === undefined || (isReserved && !spec.claimRef.uid);
      return !metadata.deletionTimestamp && isFree && (wanted ? metadata.name === wanted : isReserved);
    });
    if (!found) return;
    const volumeName = found.metadata.name ?? '';
    this.change(found, (one) => {
      const claimRef = { ...one.spec?.claimRef, namespace, name, uid };
      return { ...one, spec: { ...one.spec, claimRef }, status: { phase: 'Bound' } };
    });
    this.change(claim, (one) => ({ ...one, spec: { ...one.spec, volumeName }, status: { phase: 'Bound' } }));
  }
}

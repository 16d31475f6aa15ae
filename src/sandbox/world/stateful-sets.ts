/**
 * StatefulSets: each has pods with ordinals and claims that outlive them. Pods are made from the lowest on and taken from the highest on,
 * one after another or all at once, and brought up to a new template from the highest on.
 */
import { createHash } from 'node:crypto';
import { apiVersionOf, type KubeObject, keyOfObject } from '../../kit/kube/resource.ts';
import { CLAIMS, type Claim, PODS, type Pod, SETS, type Set as StatefulSet } from './resources.ts';
import { Told } from './told.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

const REVISION_LABEL = 'controller-revision-hash';
const NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const INDEX_LABEL = 'apps.kubernetes.io/pod-index';

export class StatefulSets {
  readonly #parts: WorldParts;
  readonly #told: Told;
  readonly #sets: Upkeep;
  /** By the set's key. */
  readonly #revisions = new Map<string, Revisions>();

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#told = new Told(parts, 'statefulset-controller');
    const owner = ({ metadata }: KubeObject) =>
      (metadata.ownerReferences ?? [])
        .filter(({ kind }) => kind === SETS.kind)
        .map(({ name }) => `${metadata.namespace}/${name}`);
    this.#sets = new Upkeep(parts, (key) => this.#look(key))
      .watch(SETS, (_, key) => [key])
      .watch(PODS, (pod) => [...owner(pod), ...this.#adopters(pod)])
      .watch(CLAIMS, (claim) => [...owner(claim), ...this.#claimants(claim)]);
  }

  /** How many templates it keeps. */
  get remembered(): number {
    return [...this.#revisions.values()].reduce((sum, { templates }) => sum + templates.size, 0);
  }

  stop(): void {
    this.#sets.stop();
  }

  #look(key: string): void {
    const set = this.#parts.objects.get(SETS, key);
    if (!set) this.#revisions.delete(key);
    if (!set || set.metadata.deletionTimestamp) return;
    this.#adopt(set);
    const seen = this.#see(set);
    this.#keepClaims(seen);
    this.#control(seen);
    this.#settle(this.#see(set));
  }

  /** Pods that nobody controls, that it selects, and that are named as its own are its own from now on. */
  #adopt(set: StatefulSet): void {
    for (const pod of this.#parts.objects.list(PODS))
      if (isOrphan(pod) && selects(set, pod)) {
        const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownerOf(set)];
        this.#parts.objects.update(PODS, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
      }
  }

  #adopters(pod: Pod): readonly string[] {
    if (!isOrphan(pod)) return [];
    return this.#parts.objects.list(SETS).flatMap((set) => (selects(set, pod) ? [keyOfObject(set)] : []));
  }

  /** Those whose pods have it by its name, whoever owns it. */
  #claimants({ metadata: { name = '', namespace } }: Claim): readonly string[] {
    return this.#parts.objects.list(SETS).flatMap((set) => {
      const theirs = set.metadata.namespace === namespace ? claimsFor(set, ordinalOf({ metadata: { name } })) : [];
      return theirs.some(({ metadata }) => metadata.name === name) ? [keyOfObject(set)] : [];
    });
  }

  #see(set: StatefulSet): Seen {
    const { uid, name = '', namespace = '' } = set.metadata;
    const pods = this.#parts.objects
      .list(PODS)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .toSorted((a, b) => ordinalOf(a) - ordinalOf(b));
    const { template } = set.spec ?? {};
    const updateRevision = `${name}-${hashOf(template)}`;
    const templates = this.#templatesOf(set);
    if (template) templates.set(updateRevision, template);
    const { currentRevision = updateRevision } = set.status ?? {};
    const first = set.spec?.ordinals?.start ?? 0;
    return {
      set,
      name,
      namespace,
      pods,
      templates,
      first,
      end: first + (set.spec?.replicas ?? 1),
      currentRevision,
      updateRevision,
    };
  }

  #control(seen: Seen): void {
    const isParallel = seen.set.spec?.podManagementPolicy === 'Parallel';
    if (!this.#make(seen, isParallel) && !isParallel) return;
    if (!this.#takeAway(seen, isParallel) && !isParallel) return;
    this.#update(seen);
  }

  /** Gives back whether all that should be there are there and well. */
  #make(seen: Seen, isParallel: boolean): boolean {
    let areWell = true;
    for (let ordinal = seen.first; ordinal < seen.end; ordinal++) {
      if (!areWell && !isParallel) return false;
      const pod = seen.pods.find((one) => ordinalOf(one) === ordinal);
      if (pod && hasFailed(pod) && !pod.metadata.deletionTimestamp) this.#delete(seen, pod);
      if (!pod && !this.#isClaimGoing(seen, ordinal)) this.#create(seen, ordinal);
      areWell &&= pod !== undefined && isWell(pod);
    }
    return areWell;
  }

  #takeAway(seen: Seen, isParallel: boolean): boolean {
    const surplus = seen.pods.filter((pod) => ordinalOf(pod) >= seen.end || ordinalOf(pod) < seen.first).toReversed();
    for (const pod of surplus) {
      if (!pod.metadata.deletionTimestamp) this.#delete(seen, pod);
      if (!isParallel) return false;
    }
    return surplus.length === 0;
  }

  /** From the highest on, each when the one before is well; those below the partition stay as they are. */
  #update(seen: Seen): void {
    const { type = 'RollingUpdate', rollingUpdate } = seen.set.spec?.updateStrategy ?? {};
    if (type === 'OnDelete') return;
    for (const pod of seen.pods.toReversed()) {
      if (ordinalOf(pod) < (rollingUpdate?.partition ?? 0)) return;
      const isOld = revisionOf(pod) !== seen.updateRevision;
      if (isOld && !pod.metadata.deletionTimestamp) {
        this.#delete(seen, pod);
        return;
      }
      if (!isWell(pod)) return;
    }
  }

  #create(seen: Seen, ordinal: number): void {
    const { set, name, namespace } = seen;
    const { partition = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const isNew = ordinal >= partition || seen.currentRevision === seen.updateRevision;
    const revision = isNew ? seen.updateRevision : seen.currentRevision;
    const template = seen.templates.get(revision) ?? set.spec?.template;
    const podName = `${name}-${ordinal}`;
    for (const claim of claimsFor(set, ordinal)) this.#createClaim(seen, claim, podName);
    const labels = { [NAME_LABEL]: podName, [INDEX_LABEL]: `${ordinal}`, [REVISION_LABEL]: revision };
    const metadata = {
      ...template?.metadata,
      name: podName,
      generateName: `${name}-`,
      namespace,
      labels: { ...template?.metadata?.labels, ...labels },
      ownerReferences: [ownerOf(set)],
    };
    const spec = {
      ...template?.spec,
      hostname: podName,
      subdomain: set.spec?.serviceName,
      volumes: volumesFor(set, ordinal),
    };
    this.#parts.objects.create(PODS, { metadata, spec } as Pod);
    this.#tell(set, `Create Pod ${podName} in StatefulSet ${name} successful`, 'SuccessfulCreate');
  }

  /** A pod is not made on a claim that is about to be gone. */
  #isClaimGoing({ set }: Seen, ordinal: number): boolean {
    return claimsFor(set, ordinal).some(
      (claim) => this.#parts.objects.get(CLAIMS, keyOfObject(claim))?.metadata.deletionTimestamp !== undefined,
    );
  }

  #createClaim({ set, name }: Seen, claim: Claim, pod: string): void {
    const { objects } = this.#parts;
    if (objects.get(CLAIMS, keyOfObject(claim))) return;
    objects.create(CLAIMS, claim);
    this.#tell(
      set,
      `Create Claim ${claim.metadata.name} Pod ${pod} in StatefulSet ${name} success`,
      'SuccessfulCreate',
    );
  }

  #delete({ set, name }: Seen, pod: Pod): void {
    this.#parts.objects.remove(PODS, keyOfObject(pod), { preconditions: { uid: pod.metadata.uid ?? '' } });
    this.#tell(set, `Delete Pod ${pod.metadata.name} in StatefulSet ${name} successful`, 'SuccessfulDelete');
  }

  /** Claims belong to whom they are to go with: to the set, to the pod that is scaled away, or to nobody. */
  #keepClaims(seen: Seen): void {
    const { whenDeleted = 'Retain', whenScaled = 'Retain' } = seen.set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
    const ordinals = new Set([...seen.pods.map(ordinalOf), ...range(seen.first, seen.end)]);
    for (const ordinal of ordinals) {
      const pod = seen.pods.find((one) => ordinalOf(one) === ordinal);
      const isSurplus = ordinal >= seen.end || ordinal < seen.first;
      const withPod = isSurplus && whenScaled === 'Delete' && pod ? podOwner(pod) : undefined;
      const owner = withPod ?? (whenDeleted === 'Delete' && !isSurplus ? ownerOf(seen.set) : undefined);
      for (const { metadata } of claimsFor(seen.set, ordinal)) this.#setOwner(keyOfObject({ metadata }), owner, seen);
    }
  }

  #setOwner(key: string, owner: ReturnType<typeof ownerOf> | undefined, { set }: Seen): void {
    const claim = this.#parts.objects.get(CLAIMS, key);
    if (!claim) return;
    const { ownerReferences = [], ...metadata } = claim.metadata;
    const isOurs = ({ uid, kind }: { readonly uid: string; readonly kind: string }) =>
      uid === set.metadata.uid || kind === PODS.kind;
    const wanted = [...ownerReferences.filter((each) => !isOurs(each)), ...(owner ? [owner] : [])];
    if (JSON.stringify(wanted) === JSON.stringify(ownerReferences)) return;
    this.#parts.objects.update(CLAIMS, { ...claim, metadata: { ...metadata, ownerReferences: wanted } });
  }

  #settle({ set, pods, templates, currentRevision, updateRevision, first, end }: Seen): void {
    const live = this.#parts.objects.get(SETS, keyOfObject(set));
    if (!live || live.metadata.uid !== set.metadata.uid) return;
    const updated = pods.filter((pod) => revisionOf(pod) === updateRevision);
    const current = pods.filter((pod) => revisionOf(pod) === currentRevision);
    const ready = pods.filter(isReady);
    const { partition = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const isDone = partition === 0 && [updated, ready, pods].every(({ length }) => length === end - first);
    const status = {
      observedGeneration: set.metadata.generation ?? 1,
      replicas: pods.length,
      ...(ready.length > 0 && { readyReplicas: ready.length }),
      ...((isDone ? updated : current).length > 0 && { currentReplicas: (isDone ? updated : current).length }),
      ...(updated.length > 0 && { updatedReplicas: updated.length }),
      currentRevision: isDone ? updateRevision : currentRevision,
      updateRevision,
      collisionCount: 0,
      availableReplicas: ready.length,
    };
    if (isDone) for (const revision of templates.keys()) if (revision !== updateRevision) templates.delete(revision);
    if (JSON.stringify(live.status) === JSON.stringify(status)) return;
    this.#parts.objects.update(SETS, { ...live, status }, 'status');
  }

  #templatesOf(set: StatefulSet): Map<string, Template> {
    const { uid = '' } = set.metadata;
    const known = this.#revisions.get(keyOfObject(set));
    if (known?.uid === uid) return known.templates;
    const templates = new Map<string, Template>();
    this.#revisions.set(keyOfObject(set), { uid, templates });
    return templates;
  }

  #tell(set: StatefulSet, note: string, reason: string): void {
    this.#told.tell(SETS, set, { type: 'Normal', reason, note });
  }
}

type Template = NonNullable<NonNullable<StatefulSet['spec']>['template']>;

/** The templates of a set by their revision's name: pods below the partition are still made of the earlier ones. */
interface Revisions {
  readonly uid: string;
  readonly templates: Map<string, Template>;
}

interface Seen {
  readonly set: StatefulSet;
  readonly name: string;
  readonly namespace: string;
  readonly pods: readonly Pod[];
  readonly templates: Map<string, Template>;
  /** The ordinals that there should be: from the first on, up to before the end. */
  readonly first: number;
  readonly end: number;
  readonly currentRevision: string;
  readonly updateRevision: string;
}

const ordinalOf = ({ metadata: { name = '' } }: KubeObject): number => Number(name.slice(name.lastIndexOf('-') + 1));

const revisionOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[REVISION_LABEL];

const hasFailed = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;

const isWell = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined && isReady(pod);

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/** Short, and another for every other template. */
const hashOf = (template: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(template ?? {}))
    .digest('hex')
    .slice(0, 10);

const isOrphan = ({ metadata }: Pod): boolean =>
  !metadata.deletionTimestamp && !metadata.ownerReferences?.some(({ controller }) => controller);

function selects({ metadata, spec }: StatefulSet, pod: Pod): boolean {
  const { name = '', namespace, labels = {} } = pod.metadata;
  const wanted = Object.entries(spec?.selector?.matchLabels ?? {});
  const isNamedSo = namespace === metadata.namespace && /^-\d+$/.test(name.slice((metadata.name ?? '').length));
  return isNamedSo && name.startsWith(metadata.name ?? '') && wanted.every(([key, value]) => labels[key] === value);
}

const ownerOf = ({ metadata: { name = '', uid = '' } }: StatefulSet) => ({
  apiVersion: apiVersionOf(SETS),
  kind: SETS.kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const podOwner = ({ metadata: { name = '', uid = '' } }: Pod) => ({
  ...ownerOf({ metadata: { name, uid } }),
  apiVersion: apiVersionOf(PODS),
  kind: PODS.kind,
});

function claimsFor({ metadata, spec }: StatefulSet, ordinal: number): readonly Claim[] {
  return (spec?.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      ...template.metadata,
      name: `${template.metadata?.name}-${metadata.name}-${ordinal}`,
      namespace: metadata.namespace ?? '',
      labels: { ...spec?.selector?.matchLabels },
    },
    spec: { ...template.spec },
  }));
}

function volumesFor({ metadata, spec }: StatefulSet, ordinal: number): readonly object[] {
  const templates = (spec?.volumeClaimTemplates ?? []).map((template) => template.metadata?.name ?? '');
  const { volumes = [] } = (spec?.template?.spec ?? {}) as { readonly volumes?: readonly { readonly name: string }[] };
  const claimed = templates.map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${metadata.name}-${ordinal}` },
  }));
  return [...claimed, ...(volumes ?? []).filter(({ name }) => !templates.includes(name))];
}

/** What a real server adds to volumes, claims and pods as it takes them in, and which claims it lets grow. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { PODS } from '../../api/pods.ts';
import { nameOf, type Resource } from '../../kit/kube/resource.ts';
import { Quantity } from '../../kit/quantity.ts';
import { type ApiObject, listAt, textAt, valueAt, withDefaultAt, withValueAt } from '../api-object.ts';
import { OLD_LABELS } from '../kinds/old-labels.ts';
import { isDefaultClass } from '../kinds/small-kinds.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionPlugin } from './admission.ts';
import { forbidden, notInSandbox } from './refusals.ts';

type Mutation = (object: ApiObject) => ApiObject;

const PROTECTION: ReadonlyMap<string, string> = new Map([
  [nameOf(PERSISTENT_VOLUMES), 'kubernetes.io/pv-protection'],
  [nameOf(PERSISTENT_VOLUME_CLAIMS), 'kubernetes.io/pvc-protection'],
]);

/** What is in use is not to go. */
export const storageProtection: AdmissionPlugin = {
  mutate: ({ operation, target: { kind }, object }) => {
    const finalizer = operation === 'CREATE' && PROTECTION.get(nameOf(kind.resource));
    if (!finalizer) return object;
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(finalizer)) return object;
    return withValueAt(object, ['metadata', 'finalizers'], [...finalizers, finalizer]);
  },
};

/** A claim that names no class gets the default one: of several, the one that was made last. */
export const defaultStorageClass = (store: Store): AdmissionPlugin => ({
  mutate: onCreate(PERSISTENT_VOLUME_CLAIMS, (object) => {
    const isSaid = valueAt(object, 'spec', 'storageClassName') !== undefined;
    if (isSaid || object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] !== undefined) return object;
    const classes = [...store.collection('storageclasses.storage.k8s.io').objects()].filter(isDefaultClass);
    const [chosen] = classes.sort(byAge);
    return chosen?.metadata.name ? withValueAt(object, ['spec', 'storageClassName'], chosen.metadata.name) : object;
  }),
});

function byAge({ metadata: one }: ApiObject, { metadata: other }: ApiObject): number {
  const [a, b] = [one.creationTimestamp ?? '', other.creationTimestamp ?? ''];
  if (a !== b) return a > b ? -1 : 1;
  return (one.name ?? '') < (other.name ?? '') ? -1 : 1;
}

const TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A node that is away for a moment does not cost its pods their place. */
export const podDefaults: AdmissionPlugin = {
  mutate: onCreate(PODS, (object) => {
    if (textAt(object, 'spec', 'priorityClassName')) throw notInSandbox('classes of priority');
    const prior = withDefaultAt(tolerating(object), ['spec', 'priority'], 0);
    return withDefaultAt(prior, ['spec', 'preemptionPolicy'], 'PreemptLowerPriority');
  }),
};

/** Nor does it when somebody has said what else they tolerate. */
export const podTolerations: AdmissionPlugin = {
  mutate: ({ operation, target: { kind, subresource }, object }) =>
    operation === 'UPDATE' && !subresource && nameOf(kind.resource) === nameOf(PODS) ? tolerating(object) : object,
};

function tolerating(object: ApiObject): ApiObject {
  const given = listAt(object, 'spec', 'tolerations');
  const missing = TOLERATED.filter((key) => !given.some((one) => tolerates(one, key)));
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return missing.length === 0 ? object : withValueAt(object, ['spec', 'tolerations'], [...given, ...added]);
}

function tolerates(toleration: unknown, key: string): boolean {
  const effect = textAt(toleration, 'effect');
  const named = textAt(toleration, 'key');
  return (named === key || named === '') && (effect === 'NoExecute' || effect === '');
}

/** Only what a class allows to grow may grow. */
export const claimResize = (store: Store): AdmissionPlugin => ({
  check: ({ operation, target: { kind, subresource }, object, old }) => {
    if (
      operation !== 'UPDATE' ||
      subresource ||
      kind.resource.plural !== PERSISTENT_VOLUME_CLAIMS.plural ||
      !object ||
      !old
    )
      return;
    if (!isLarger(requestOf(object), requestOf(old))) return;
    const name = textAt(old, 'spec', 'storageClassName');
    const storageClass = store.collection('storageclasses.storage.k8s.io').get(name);
    if (storageClass?.allowVolumeExpansion === true) return;
    const why =
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    throw forbidden(kind.resource, object.metadata.name ?? '', why);
  },
});

const requestOf = (claim: ApiObject): string => textAt(claim, 'spec', 'resources', 'requests', 'storage') || '0';

const isLarger = (one: string, other: string): boolean => Quantity.parse(one).compare(Quantity.parse(other)) > 0;

function onCreate(resource: Resource, change: Mutation): NonNullable<AdmissionPlugin['mutate']> {
  return ({ operation, target, object }) =>
    operation === 'CREATE' && nameOf(target.kind.resource) === nameOf(resource) ? change(object) : object;
}

/** Volumes that are placed by the old name of a label are taken, with a word on its new one. */
export const oldLabels: AdmissionPlugin = {
  check: ({ target, object, request }) => {
    if (nameOf(target.kind.resource) !== nameOf(PERSISTENT_VOLUMES)) return;
    const path = 'spec.nodeAffinity.required.nodeSelectorTerms';
    for (const [place, term] of listAt(object, ...path.split('.')).entries())
      for (const [index, expression] of listAt(term, 'matchExpressions').entries()) {
        const key = textAt(expression, 'key');
        const old = OLD_LABELS[key];
        const field = `${path}[${place}].matchExpressions[${index}].key`;
        if (old)
          request.warn?.(`${field}: ${key} is deprecated since ${old.since}; use ${JSON.stringify(old.now)} instead`);
      }
  },
};

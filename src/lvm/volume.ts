/** What the cache keeps of a volume that may be ours. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { semanticallyEqual } from '../kit/equality.ts';
import type { NodeSelectorObject } from '../kit/node-selectors.ts';
import {
  ADOPT_ANNOTATION,
  FINALIZER,
  HOSTNAME_LABEL,
  MADE_ANNOTATION,
  NODE_ID_LABEL,
  PREFIX,
  WRITTEN_KEYS,
} from './contract.ts';

export interface Volume {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly path: string;
  readonly capacity?: string;
  readonly volumeMode: string;
  readonly storageClass: string;
  readonly reclaimPolicy: string;
  readonly phase: string;
  /** The claim that it belongs to, `namespace/name`. */
  readonly claim?: string;
  readonly isReserved: boolean;
  /** The node that its affinity asks for; nothing unless it is exactly one. */
  readonly home?: Home;
  /** Those with our prefix, without it. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The logical volume that a person wants it to take over. */
  readonly adopts?: string;
  /** The uuid of the logical volume that was made for it, or that it has adopted. */
  readonly made?: string;
  /** When somebody has deleted it, by the clock of the API server, as it writes that. */
  readonly deletedAt?: string;
  readonly isHeld: boolean;
  /** Others keep its object for now, such as Kubernetes itself while it is bound. */
  readonly otherFinalizers: readonly string[];
}

export interface Home {
  readonly label: typeof NODE_ID_LABEL | typeof HOSTNAME_LABEL;
  readonly value: string;
}

/** Nothing for volumes that cannot be ours. */
export function volumeOf({ metadata, spec = {}, status }: PersistentVolume): Volume | undefined {
  if (spec.local?.path === undefined) return undefined;
  const { name = '', uid = '', resourceVersion = '', finalizers = [] } = metadata;
  const { claimRef, capacity, nodeAffinity } = spec;
  const home = homeIn(nodeAffinity?.required);
  const { [ADOPT_ANNOTATION]: adopts, [MADE_ANNOTATION]: made } = metadata.annotations ?? {};
  return {
    name,
    uid,
    resourceVersion,
    path: spec.local.path,
    ...(capacity?.storage !== undefined && { capacity: capacity.storage }),
    volumeMode: spec.volumeMode ?? 'Filesystem',
    storageClass: spec.storageClassName ?? '',
    reclaimPolicy: spec.persistentVolumeReclaimPolicy ?? 'Retain',
    phase: status?.phase ?? 'Pending',
    ...(claimRef?.name && { claim: `${claimRef.namespace}/${claimRef.name}` }),
    isReserved: claimRef !== undefined,
    ...(home && { home }),
    annotations: ours(metadata.annotations ?? {}),
    ...(adopts !== undefined && { adopts }),
    ...(made !== undefined && { made }),
    ...(metadata.deletionTimestamp !== undefined && { deletedAt: metadata.deletionTimestamp }),
    isHeld: finalizers.includes(FINALIZER),
    otherFinalizers: finalizers.filter((finalizer) => finalizer !== FINALIZER),
  };
}

const ours = (annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(annotations).flatMap(([key, value]) =>
      key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), value]] : [],
    ),
  );

/** A volume is in one place: an affinity that several nodes could meet names none. */
function homeIn(selector: NodeSelectorObject | undefined): Home | undefined {
  const terms = selector?.nodeSelectorTerms ?? [];
  const [term] = terms;
  if (terms.length !== 1 || !term) return undefined;
  for (const label of [NODE_ID_LABEL, HOSTNAME_LABEL] as const) {
    const expressions = (term.matchExpressions ?? []).filter(({ key }) => key === label);
    const [value, ...others] = expressions.flatMap(({ operator, values }) => (operator === 'In' ? (values ?? []) : []));
    if (expressions.length === 1 && value !== undefined && others.length === 0) return { label, value };
  }
  return undefined;
}

/** What a person asks of it is the same in both, whatever others have written about it meanwhile: its phase, its claim, or what we write. */
export function isAskedTheSame(one: Volume, other: Volume): boolean {
  return one.uid === other.uid && semanticallyEqual(requestOf(one), requestOf(other));
}

function requestOf({ path, capacity, volumeMode, storageClass, home, annotations, adopts, deletedAt }: Volume) {
  return { path, capacity, volumeMode, storageClass, home, adopts, deletedAt, options: optionsIn(annotations) };
}

/** Without what we write ourselves. */
function optionsIn(annotations: Volume['annotations']): Volume['annotations'] {
  const written: readonly string[] = WRITTEN_KEYS;
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !written.includes(key)));
}

/** A write of ours, and what it was made to: between the two nobody else has changed anything. */
export interface OwnWrite {
  readonly basis: Volume;
  readonly written: Volume;
}

/**
 * Whether a change of a volume is a reason to look at it again. What we write is none, also where others could have said the same, as of
 * the options in force: then what others changed is what came before our write and what came after it. That it is held and not retained
 * is one in any case but our own: somebody may have changed that back, and the two changes together look like none.
 */
export function isReasonToLook(before: Volume, after: Volume, own?: OwnWrite): boolean {
  if (own && semanticallyEqual(own.written, after)) return isSaidAnew(before, own.basis);
  if (after.isHeld && after.reclaimPolicy !== 'Retain') return true;
  return own ? isSaidAnew(before, own.basis) || isSaidAnew(own.written, after) : isSaidAnew(before, after);
}

/** That it has become as we make it, held and retained, asks for nothing, and of its phases only one does. */
function isSaidAnew(before: Volume, after: Volume): boolean {
  return (
    (before.isHeld && !after.isHeld) ||
    (before.reclaimPolicy !== after.reclaimPolicy && after.reclaimPolicy !== 'Retain') ||
    (before.phase !== after.phase && after.phase === 'Released') ||
    !semanticallyEqual(othersSayOf(before), othersSayOf(after))
  );
}

function othersSayOf({
  resourceVersion: _,
  made: __,
  phase: ___,
  isHeld: ____,
  reclaimPolicy: _____,
  ...rest
}: Volume) {
  return { ...rest, annotations: optionsIn(rest.annotations) };
}

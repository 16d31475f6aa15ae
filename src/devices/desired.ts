/** The volume that a device should have, and what of a volume that is there has to be put right. Pure. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { quote } from '../kit/invalid-value.ts';
import type { OwnerReference } from '../kit/kube/resource.ts';
import { Quantity } from '../kit/quantity.ts';
import {
  type Config,
  DEVICE_ANNOTATION,
  HOSTNAME_LABEL,
  NODE_LABELS,
  RECEIPT_ANNOTATION,
  SETTING_PREFIX,
  TROUBLE_ANNOTATION,
  WIPE_FINALIZER,
} from './contract.ts';
import type { Identity } from './identity.ts';
import type { Receipt } from './ledger/entry.ts';
import type { Volume } from './volume.ts';

export interface OwnNode {
  readonly name: string;
  readonly uid: string;
}

export interface Wanted {
  readonly name: string;
  readonly path: string;
  readonly node: OwnNode;
  readonly identity: Identity;
  readonly config: Config;
}

export function newVolume({ name, path, node, identity, config }: Wanted, receipt: Receipt): PersistentVolume {
  const { volumeMode, fsType, storageClassName } = config;
  return {
    metadata: {
      name,
      labels: labelsOf(node),
      annotations: {
        ...settingsOf(config),
        [DEVICE_ANNOTATION]: JSON.stringify(identity),
        [RECEIPT_ANNOTATION]: JSON.stringify(receipt),
      },
      ownerReferences: [ownerOf(node)],
    },
    spec: {
      capacity: capacityOf(identity),
      volumeMode,
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName,
      local: { path, ...(fsType && { fsType }) },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME_LABEL, operator: 'In', values: [node.name] }] }],
        },
      },
    },
  };
}

/** Each setting that a volume was made with, as it stands on it. */
function settingsOf({
  storageClassName,
  volumeMode,
  fsType,
  deviceDir,
  deviceNameFilter,
}: Config): Readonly<Record<string, string>> {
  return prefixed({ storageClassName, volumeMode, ...(fsType && { fsType }), deviceDir, deviceNameFilter });
}

const prefixed = (settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${SETTING_PREFIX}${key}`, value]));

/**
 * The settings of a volume that are not those of the configuration, in words. Old volumes do not say all that they were made with:
 * then what they are counts, and what cannot be seen on them is put there.
 */
export function disagreements(volume: Volume, config: Config): readonly string[] {
  const carried = { ...settingsSeenOn(volume), ...volume.marks };
  return Object.entries(settingsOf(config)).flatMap(([key, wanted]) => {
    const is = carried[key];
    return is === undefined || is === wanted
      ? []
      : [`${key.slice(SETTING_PREFIX.length)} is ${quote(is)} and should be ${quote(wanted)}`];
  });
}

const settingsSeenOn = ({ storageClassName, volumeMode, fsType }: Volume): Readonly<Record<string, string>> =>
  prefixed({ storageClassName, volumeMode, ...(fsType !== undefined && { fsType }) });

/** What is sent to the server, with the version that it was worked out from: lists in it replace what is there. */
export interface Mending {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
    readonly ownerReferences?: readonly OwnerReference[];
    readonly finalizers?: readonly string[];
  };
  readonly spec?: { readonly capacity: { readonly storage: string } };
}

/** A merge patch of what is not as it should be; nothing when all is well. That the device is the volume's is the caller's to know. */
export function mendingOf(volume: Volume, wanted: Wanted): Mending | undefined {
  const { node, config, identity } = wanted;
  const labels = unlike(volume.labels, labelsOf(node));
  const annotations = unlike(volume.marks, {
    ...settingsOf(config),
    ...identityMending(volume, identity),
    ...(!hasShrunk(volume, identity) && { [TROUBLE_ANNOTATION]: null }),
  });
  const ownerReferences = ownersMending(volume.owners, node);
  const finalizers = finalizersMending(volume);
  const metadata = {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
  };
  const isResized = volume.capacityBytes !== identity.sizeBytes;
  if (Object.keys(metadata).length === 0 && !isResized) return undefined;
  return { metadata, ...(isResized && { spec: { capacity: capacityOf(identity) } }) };
}

/** The part of it that needs neither the device nor the configuration: a volume whose Node is gone from its owners would go, too. */
export function mendingWithoutDevice(volume: Volume, node: OwnNode): Mending | undefined {
  const labels = unlike(volume.labels, labelsOf(node));
  const ownerReferences = ownersMending(volume.owners, node);
  return labels || ownerReferences
    ? { metadata: { ...(labels && { labels }), ...(ownerReferences && { ownerReferences }) } }
    : undefined;
}

/** Of what is wanted, that which is otherwise; `null` is for what is not wanted. */
function unlike<T extends string | null>(is: Readonly<Record<string, string>>, wanted: Readonly<Record<string, T>>) {
  const otherwise = Object.entries(wanted).filter(([key, value]) => (is[key] ?? null) !== value);
  return otherwise.length > 0 ? Object.fromEntries(otherwise) : undefined;
}

/**
 * The record of the device is made where there is none, and follows a device that grows. It does not follow one that shrinks: what was
 * at its end is out of reach, perhaps for a mistake that can be undone, and it is not wiped as if it were whole.
 */
function identityMending(volume: Volume, found: Identity): Readonly<Record<string, string>> {
  const { identity: recorded, capacityBytes = found.sizeBytes } = volume;
  if (!recorded) return record({ ...found, sizeBytes: Math.max(capacityBytes, found.sizeBytes) });
  return recorded.sizeBytes < found.sizeBytes ? record({ ...recorded, ...found }) : {};
}

const record = (identity: Identity) => ({ [DEVICE_ANNOTATION]: JSON.stringify(identity) });

const hasShrunk = ({ identity, capacityBytes = 0 }: Volume, { sizeBytes }: Identity): boolean =>
  sizeBytes < (identity?.sizeBytes ?? capacityBytes);

/** All owners, with ours as it should be; nothing when it is. A Node that registered anew has another uid. */
function ownersMending(owners: readonly OwnerReference[], node: OwnNode): readonly OwnerReference[] | undefined {
  const others = owners.filter((owner) => !isNode(owner, node));
  /** An object has one controller at most. */
  const ours = { ...ownerOf(node), controller: !others.some(({ controller }) => controller) };
  const [own, ...more] = owners.filter((owner) => isNode(owner, node));
  return own && more.length === 0 && isAlike(own, ours) ? undefined : [...others, ours];
}

/** Whether it holds a Node up that is deleted in the foreground is left as it is: to say so may need a right to the Node. */
const isAlike = (one: OwnerReference, other: OwnerReference): boolean =>
  one.name === other.name && one.uid === other.uid && Boolean(one.controller) === Boolean(other.controller);

const isNode = ({ apiVersion, kind, name, uid }: OwnerReference, node: OwnNode): boolean =>
  apiVersion === 'v1' && kind === 'Node' && (name === node.name || uid === node.uid);

/** Left behind by a wipe that was begun and not carried out: what nobody has left is not wiped. */
function finalizersMending({ finalizers, isDeleting, phase }: Volume): readonly string[] | undefined {
  if (isDeleting || phase === 'Released' || !finalizers.includes(WIPE_FINALIZER)) return undefined;
  return finalizers.filter((finalizer) => finalizer !== WIPE_FINALIZER);
}

const labelsOf = ({ name }: OwnNode) => Object.fromEntries(NODE_LABELS.map((label) => [label, name]));

const ownerOf = ({ name, uid }: OwnNode): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
  uid,
  controller: true,
});

const capacityOf = ({ sizeBytes }: Identity) => ({ storage: Quantity.ofBytes(BigInt(sizeBytes)).toString() });

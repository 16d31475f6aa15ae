/** The volume that a device should have, and what of a volume that is there has to be put right. Pure. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
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
export function settingsOf({
  storageClassName,
  volumeMode,
  fsType,
  deviceDir,
  deviceNameFilter,
}: Config): Readonly<Record<string, string>> {
  const settings = { storageClassName, volumeMode, ...(fsType && { fsType }), deviceDir, deviceNameFilter };
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${SETTING_PREFIX}${key}`, value]));
}

/** The settings of a volume that are not those of the configuration, in words. Those that it lacks are put there. */
export function disagreements({ marks }: Volume, config: Config): readonly string[] {
  return Object.entries(settingsOf(config)).flatMap(([key, wanted]) => {
    const is = marks[key];
    return is === undefined || is === wanted
      ? []
      : [`${key.slice(SETTING_PREFIX.length)} is ${is} and should be ${wanted}`];
  });
}

/** A merge patch of what is not as it should be; nothing when all is well. */
export function mendingOf(volume: Volume, wanted: Wanted) {
  const labels = missing(labelsOf(wanted.node), volume);
  const annotations = {
    ...missing({ ...settingsOf(wanted.config), [DEVICE_ANNOTATION]: JSON.stringify(wanted.identity) }, volume),
    ...(TROUBLE_ANNOTATION in volume.marks && { [TROUBLE_ANNOTATION]: null }),
  };
  const owners = ownersWith(volume.owners, ownerOf(wanted.node));
  const metadata = {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(owners && { ownerReferences: owners }),
  };
  const isResized = volume.capacityBytes !== wanted.identity.sizeBytes;
  if (Object.keys(metadata).length === 0 && !isResized) return undefined;
  return { metadata, ...(isResized && { spec: { capacity: capacityOf(wanted.identity) } }) };
}

const missing = (wanted: Readonly<Record<string, string>>, { marks }: Volume) =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => marks[key] !== value));

const labelsOf = ({ name }: OwnNode) => Object.fromEntries(NODE_LABELS.map((label) => [label, name]));

const ownerOf = ({ name, uid }: OwnNode): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** All owners, with ours as it should be; nothing when it is. A Node that registered anew has another uid. */
function ownersWith(owners: readonly OwnerReference[], ours: OwnerReference): readonly OwnerReference[] | undefined {
  if (owners.some(({ uid, controller }) => uid === ours.uid && controller === true)) return undefined;
  return [...owners.filter(({ kind, apiVersion }) => kind !== ours.kind || apiVersion !== ours.apiVersion), ours];
}

const capacityOf = ({ sizeBytes }: Identity) => ({ storage: Quantity.ofBytes(BigInt(sizeBytes)).toString() });

/** Writes the manifest of a volume from what is marked on its logical volume: applied, it takes that over with all that is on it. Pure. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { ADOPT_ANNOTATION, annotation, HOSTNAME_LABEL, NODE_ID_LABEL, OPTION_KEYS } from './contract.ts';
import type { LogicalVolume } from './facts.ts';
import type { NodeLabels } from './home.ts';
import type { Owner } from './tags.ts';

export interface ManifestOf {
  readonly lv: Pick<LogicalVolume, 'uuid' | 'sizeBytes' | 'group'>;
  readonly owner: Owner;
  /** Of the volume: that of the one that it was, or another. */
  readonly name: string;
  readonly node: NodeLabels;
  readonly mountBase: string;
  readonly storageClass: string;
}

export function manifestOf(of: ManifestOf): PersistentVolume & { readonly apiVersion: 'v1'; readonly kind: string } {
  const { lv, name, node, mountBase, storageClass } = of;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [ADOPT_ANNOTATION]: lv.uuid, ...options(of) } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: `${lv.sizeBytes}` },
      local: { path: `${mountBase}/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [homeOf(node)] }] } },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: storageClass,
      volumeMode: 'Filesystem',
    },
  };
}

/** The group is where it is, whatever it was asked for. What it has not is said as well, so that no default gives it that. */
function options({ owner, lv }: ManifestOf): Readonly<Record<string, string>> {
  const inForce = { cryptSecret: '', thinPool: '', ...owner.options, vg: lv.group };
  return Object.fromEntries(
    OPTION_KEYS.flatMap((key) => (inForce[key] === undefined ? [] : [[annotation(key), inForce[key]]])),
  );
}

/** By a label that the Node really has: the scheduler knows no guesses. */
function homeOf({ name, labels }: NodeLabels) {
  const id = labels[NODE_ID_LABEL];
  return id === undefined
    ? { key: HOSTNAME_LABEL, operator: 'In' as const, values: [labels[HOSTNAME_LABEL] ?? name] }
    : { key: NODE_ID_LABEL, operator: 'In' as const, values: [id] };
}

/**
 * What a drill makes: read-only copies of all that would be restored, under names and in namespaces that nobody uses. Claims whose volume
 * is not in the export are left out: a StorageClass would make a real volume for each of them. So are volumes that cannot be read-only.
 */

import type { KubeObject } from '../../kit/kube/resource.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { fitDnsLabel } from '../../kit/name-fitting.ts';
import { DRILL_LABEL } from '../contract.ts';
import { desiredClaim, desiredVolume, volumeOf } from './desired.ts';
import type { Seen } from './seen.ts';
import { isOfTheSource } from './source-mark.ts';

export interface DrillCopies {
  readonly namespaces: readonly KubeObject[];
  readonly volumes: readonly KubeObject[];
  readonly claims: readonly KubeObject[];
  /** How many of the export have no copy. */
  readonly skipped: number;
}

const READ_ONLY = ['ReadOnlyMany'];

export function drillCopies(
  { document, outline, spec, sync }: Pick<Seen, 'document' | 'outline' | 'spec' | 'sync'>,
  id: string,
): DrillCopies {
  const names = new CopyNames(id);
  const restoring = { sync, spec: { ...spec, binding: 'Pair' as const } };
  const volumes: KubeObject[] = [];
  const claims: KubeObject[] = [];
  const namespaces = new Set<string>();
  let skipped = 0;
  for (const volume of document.volumes) {
    const { fault } = outline.volumes.get(keyOfObject(volume)) ?? {};
    if (fault !== undefined || !canBeReadOnly(volume)) skipped += 1;
    else volumes.push(volumeCopy(desiredVolume(volume, restoring), names));
  }
  const copied = new Set(volumes.map(({ metadata }) => metadata.name));
  for (const claim of document.claims) {
    const key = keyOfObject(claim);
    const volume = outline.claims.get(key)?.fault === undefined ? volumeOf(key, outline, 'Pair') : undefined;
    if (volume === undefined || !copied.has(names.volume(volume))) skipped += 1;
    else claims.push(claimCopy(desiredClaim(claim, restoring, outline), volume, names));
  }
  for (const { metadata } of claims) namespaces.add(metadata.namespace ?? '');
  const labels = { [DRILL_LABEL]: id };
  return { namespaces: [...namespaces].map((name) => ({ metadata: { name, labels } })), volumes, claims, skipped };
}

/** Whose copy nobody can write to. A path on a node, or a disk that knows no other way, would be the original's data itself. */
function canBeReadOnly({ spec = {} }: KubeObject & { readonly spec?: object }): boolean {
  const sources = Object.entries(spec).filter(([field, value]) => isOfTheSource(field) && value !== null);
  return sources.length > 0 && sources.every(([field]) => READ_ONLY_SOURCES.has(field));
}

/** The sources of volumes that have a field `readOnly`. */
const READ_ONLY_SOURCES: ReadonlySet<string> = new Set([
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'csi',
  'fc',
  'flexVolume',
  'gcePersistentDisk',
  'glusterfs',
  'iscsi',
  'nfs',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
]);

/** Of a volume, or of the namespace of a claim. */
export const isNameOfCopy = (name: string, drill: string): boolean =>
  drill !== '' && name.startsWith(`drill-${drill}-`);

class CopyNames {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  /** Of a volume. */
  volume(name: string): string {
    return fitDnsLabel(`drill-${this.id}-${name}`);
  }

  namespace(name: string): string {
    return fitDnsLabel(`drill-${this.id}-${name}`);
  }
}

type Volume = ReturnType<typeof desiredVolume>;
type Claim = ReturnType<typeof desiredClaim>;

/** Nothing that it is known by stays but where it is: nobody else's selector finds it. */
function volumeCopy({ metadata, spec, ...type }: Volume, names: CopyNames): KubeObject {
  const { claimRef } = spec;
  const source = Object.fromEntries(
    Object.entries(spec).map(([field, value]) => [
      field,
      READ_ONLY_SOURCES.has(field) ? { ...Object(value), readOnly: true } : value,
    ]),
  );
  const copy = {
    ...type,
    metadata: { name: names.volume(metadata.name), labels: { [DRILL_LABEL]: names.id } },
    spec: {
      ...source,
      accessModes: READ_ONLY,
      ...(claimRef && { claimRef: { ...claimRef, namespace: names.namespace(claimRef.namespace) } }),
    },
  };
  return copy;
}

function claimCopy({ metadata, spec, ...type }: Claim, volume: string, names: CopyNames): KubeObject {
  const copy = {
    ...type,
    metadata: {
      name: metadata.name,
      namespace: names.namespace(metadata.namespace ?? ''),
      labels: { [DRILL_LABEL]: names.id },
    },
    spec: { ...spec, accessModes: READ_ONLY, volumeName: names.volume(volume) },
  };
  return copy;
}

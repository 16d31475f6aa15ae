/** What is so of a volume, by name: of its object, and of the disk or the logical volume under it as the agents of its node tell. Pure. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { inBytes } from '../kit/in-words.ts';
import { annotation, MADE_ANNOTATION } from '../lvm/contract.ts';
import { SOURCE_ANNOTATION } from '../topology/contract.ts';
import type { Fact, NodeRow, VolumeRow } from './model.ts';

/** `node` is the one that it is on, where that is seen. */
export function factsOf(volume: PersistentVolume, row: VolumeRow, node: NodeRow | undefined): readonly Fact[] {
  const { metadata, spec = {} } = volume;
  return [
    ...fact('Phase', row.phase),
    ...fact('Size', inBytes(row.capacityBytes)),
    ...fact('Claim', row.claim),
    ...fact('Pods', row.pods?.join(', ')),
    ...fact('Storage class', row.storageClass),
    ...fact('Zone', row.zone),
    ...fact('Node', row.node, row.node && `#/nodes/${encodeURIComponent(row.node)}`),
    ...(row.source === 'device' ? diskFacts(row, node) : []),
    ...(row.source === 'lvm' ? logicalFacts(volume, row, node) : []),
    ...fact('Access', spec.accessModes?.join(', ')),
    ...fact('Mode', spec.volumeMode),
    ...fact('When released', spec.persistentVolumeReclaimPolicy),
    ...fact('Path', spec.local?.path ?? spec.hostPath?.path),
    ...fact('NFS', spec.nfs && `${spec.nfs.server}:${spec.nfs.path}`),
    ...fact('CSI driver', spec.csi?.driver),
    ...fact('CSI volume', spec.csi?.volumeHandle),
    ...fact('Labels', labelsIn(metadata.labels)),
    ...fact('Zone taken from', metadata.annotations?.[SOURCE_ANNOTATION]),
    ...fact('Kept by', metadata.finalizers?.join(', ')),
    ...fact('Uid', metadata.uid),
  ];
}

const fact = (name: string, value: string | undefined, link?: string): readonly Fact[] =>
  value ? [{ name, value, ...(link && { link }) }] : [];

const labelsIn = (labels: Readonly<Record<string, string>> = {}): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');

function diskFacts({ name }: VolumeRow, node: NodeRow | undefined): readonly Fact[] {
  const device = node?.devices.find(({ volume }) => volume === name);
  if (!device) return [];
  return [
    ...fact('Disk', device.identity),
    ...fact('Size of the disk', device.sizeBytes === undefined ? undefined : inBytes(device.sizeBytes)),
    ...fact('State of the disk', device.stands),
    ...fact('On the disk', device.holds),
  ];
}

/** The options in force are written on the volume. A logical volume has the name of its volume. */
function logicalFacts({ metadata }: PersistentVolume, { name }: VolumeRow, node: NodeRow | undefined): readonly Fact[] {
  const { annotations = {} } = metadata;
  const found = node?.groups.find(({ volumes }) => volumes.some(({ volume }) => volume === name));
  const group = found?.name ?? annotations[annotation('vg')];
  const secret = annotations[annotation('cryptSecret')];
  const pool = annotations[annotation('thinPool')];
  return [
    ...fact('Logical volume', group && `${group}/${name}`),
    ...fact('Volume group', group && inGroup(group, found)),
    ...fact('Thin pool', pool),
    ...fact('Encrypted', secret ? `with the key in ${secret}` : 'no'),
    ...fact('File system', annotations[annotation('fsType')]),
    ...fact('UUID of the logical volume', annotations[MADE_ANNOTATION]),
  ];
}

const inGroup = (name: string, found: NodeRow['groups'][number] | undefined): string =>
  found ? `${name}, ${inBytes(found.freeBytes)} of ${inBytes(found.sizeBytes)} free` : name;

/** Volumes, claims and nodes as they are in a cluster with a CSI driver: each volume with its own claim, the claim that a pod of pod.ts mounts. */
import { claimName, nodeName, PODS_OF_A_NODE, podName, podNamespace } from './pod.ts';

export const volumeName = (number: number): string => `pv-${podName(number)}`;
export const volumePath = (number: number): string => `/api/v1/persistentvolumes/${volumeName(number)}`;

export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
const ZONES = ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'];
const REGION_OF_ALL = 'eu-central-1';

/** What the volume is to be labelled with: the place of the node that its pod runs on. */
export function placeOf(number: number): Readonly<Record<string, string>> {
  const node = Math.floor(number / PODS_OF_A_NODE);
  return { [REGION]: REGION_OF_ALL, [ZONE]: ZONES[node % ZONES.length] ?? '' };
}

/** The node of all pods from `number` on, as many as fit onto it. */
export function nodeToCreate(number: number): object {
  const name = nodeName(number);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': 'm6i.2xlarge',
        ...placeOf(number),
      },
    },
    spec: { providerID: `aws:///eu-central-1/${name}` },
  };
}

const SIZE = { storage: '20Gi' };
const ACCESS_MODES = ['ReadWriteOnce'];

export type Labels = Readonly<Record<string, string>>;

export function claimToCreate(number: number, labels: Labels = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(number),
      namespace: podNamespace(number),
      labels: { 'app.kubernetes.io/name': 'web', ...labels },
      annotations: {
        'pv.kubernetes.io/bind-completed': 'yes',
        'pv.kubernetes.io/bound-by-controller': 'yes',
        'volume.kubernetes.io/selected-node': nodeName(number),
        'volume.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com',
      },
    },
    spec: {
      accessModes: ACCESS_MODES,
      resources: { requests: SIZE },
      storageClassName: 'gp3',
      volumeMode: 'Filesystem',
      volumeName: volumeName(number),
    },
  };
}

export const claimStatus = { status: { phase: 'Bound', accessModes: ACCESS_MODES, capacity: SIZE } };

export function volumeToCreate(
  number: number,
  { claimUid, labels = {} }: { readonly claimUid: string; readonly labels?: Labels },
): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeName(number),
      labels,
      annotations: {
        'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com',
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
    },
    spec: {
      accessModes: ACCESS_MODES,
      capacity: SIZE,
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        name: claimName(number),
        namespace: podNamespace(number),
        uid: claimUid,
      },
      csi: {
        driver: 'ebs.csi.aws.com',
        fsType: 'ext4',
        volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': '1767139200000-8081-ebs.csi.aws.com' },
        volumeHandle: `vol-0a1b2c3d4-${podName(number)}`,
      },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'gp3',
      volumeMode: 'Filesystem',
    },
  };
}

export const volumeStatus = { status: { phase: 'Bound' } };

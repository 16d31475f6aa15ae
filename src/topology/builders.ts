/** For tests: objects of a cluster, as short as they can be told. */
import type { Node } from '../api/nodes.ts';
import type { PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { Pod } from '../api/pods.ts';
import type { Labels } from '../kit/label-requirements.ts';
import type { Volume } from './cached.ts';
import { DEFAULT_POLICY, type Policy, REGION, ZONE } from './contract.ts';
import type { Seen, User } from './seen.ts';
import { managedBy } from './simulated-cluster.ts';

/** The labels of a place; a place that is not given is not labelled. */
export const at = (zone?: string, region?: string): Labels => ({
  ...(zone !== undefined && { [ZONE]: zone }),
  ...(region !== undefined && { [REGION]: region }),
});

export const policy = (choices: Partial<Policy> = {}): Policy => ({ ...DEFAULT_POLICY, ...choices });

/** A volume that is bound to the claim `default/data`, as it is decided about. */
export const aVolume = (parts: Partial<Volume> = {}): Volume => ({
  name: 'pv-1',
  uid: 'uid-1',
  labels: {},
  writers: {},
  claim: { key: 'default/data', uid: 'uid-claim' },
  accessModes: ['ReadWriteOnce'],
  hasNodeAffinity: false,
  ...parts,
});

/** A pod that is ready on a node with these labels. */
export const aUser = (labels: Labels | undefined, parts: Partial<User> = {}): User => ({
  pod: 'default/web-0',
  node: 'node-1',
  readySince: 1_000,
  ...(labels && { labels }),
  ...parts,
});

export const notReady = ({ readySince: _, ...user }: User): User => user;

export const used = (volume: Volume, ...users: readonly User[]): Seen => ({ volume, binding: 'bound', users });

/** The objects themselves. */
export const nodeObject = (name: string, labels: Labels): Node => ({ metadata: { name, labels } });

export const claimObject = (name: string, volumeName?: string, uid = `uid-of-${name}`): PersistentVolumeClaim => ({
  metadata: { namespace: 'default', name, uid },
  spec: volumeName === undefined ? {} : { volumeName },
});

export function volumeObject(
  name: string,
  claim: string | undefined,
  labels: Labels = {},
  by = 'kubectl-label',
): PersistentVolume {
  const volume: PersistentVolume = {
    metadata: { name, labels },
    spec: {
      accessModes: ['ReadWriteMany'],
      ...(claim !== undefined && { claimRef: { namespace: 'default', name: claim, uid: `uid-of-${claim}` } }),
    },
  };
  return { ...volume, metadata: { ...volume.metadata, managedFields: managedBy(by, Object.keys(labels), volume) } };
}

export const podObject = (name: string, claim: string, node: string | undefined, isReady = true): Pod => ({
  metadata: { namespace: 'default', name },
  spec: {
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
    ...(node !== undefined && { nodeName: node }),
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
});

/**
 * StatefulSets whose pods run and are ready at once, each with its bound claim, written behind the API: what is measured is who makes them,
 * not what they take.
 */
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/persistent-volume-claims.ts';
import { PODS } from '../../src/api/pods.ts';
import { STATEFUL_SETS, type StatefulSet } from '../../src/api/stateful-sets.ts';
import { POOL_LABEL, REVISION_LABEL } from '../../src/pool/contract.ts';
import type { Cluster } from '../../src/sandbox/cluster.ts';
import { writeBehind } from './copies.ts';

const REVISION = 'first';
const SIZE = { storage: '1Gi' };
const NOW = new Date().toISOString();
const READY = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True', lastTransitionTime: NOW }));

export function playStatefulSets(cluster: Cluster): void {
  let pods = 0;
  cluster.objects.onChange(STATEFUL_SETS, ({ type, object: set }) => {
    if (type !== 'ADDED') return;
    const replicas = set.spec?.replicas ?? 0;
    for (let ordinal = 0; ordinal < replicas; ordinal++) play(cluster, set, ordinal, pods++);
    const status = {
      observedGeneration: set.metadata.generation ?? 1,
      replicas,
      readyReplicas: replicas,
      updatedReplicas: replicas,
      currentReplicas: replicas,
      currentRevision: REVISION,
      updateRevision: REVISION,
    };
    cluster.objects.update(STATEFUL_SETS, { ...set, status }, 'status');
  });
}

function play(cluster: Cluster, { metadata, spec }: StatefulSet, ordinal: number, number: number): void {
  const { name: set = '', namespace = '', uid = '', labels = {} } = metadata;
  const name = `${set}-${ordinal}`;
  const [template] = spec?.volumeClaimTemplates ?? [];
  const claimName = `${template?.metadata?.name}-${name}`;
  const pool = { [POOL_LABEL]: labels[POOL_LABEL] ?? '' };
  const common = (kind: number) => ({ namespace, uid: uidOf(number, kind), creationTimestamp: NOW });
  writeBehind(cluster, PERSISTENT_VOLUME_CLAIMS, `${namespace}/${claimName}`, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claimName, labels: pool, ...common(1) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: SIZE },
      storageClassName: '',
      volumeName: `pv-${number}`,
    },
    status: { phase: 'Bound', capacity: SIZE },
  });
  writeBehind(cluster, PODS, `${namespace}/${name}`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...common(2),
      labels: { ...pool, [REVISION_LABEL]: REVISION, 'statefulset.kubernetes.io/pod-name': name },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: set, uid, controller: true }],
    },
    spec: {
      nodeName: `node-${number}`,
      containers: [{ name: 'agent', image: 'holdfast:1' }],
      volumes: [{ name: 'vol', persistentVolumeClaim: { claimName } }],
    },
    status: { phase: 'Running', podIP: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`, conditions: READY },
  });
}

const uidOf = (number: number, kind: number): string =>
  `5ca1ab1e-0000-4000-8000-${kind}${String(number).padStart(11, '0')}`;

/** What else lives in the protected cluster, so that there is something to look at: applications with their volumes, and logical volumes. */
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { DEFAULT_MOUNT_BASE, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from '../../lvm/contract.ts';
import { PODS } from '../../sandbox/world/resources.ts';
import { CLASS, type DemoSite } from './site.ts';

const APPLICATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shop: { catalogue: '20Gi', carts: '5Gi', sessions: '2Gi' },
  billing: { accounts: '50Gi', reports: '10Gi' },
  analytics: { 'events-0': '100Gi', 'events-1': '100Gi', 'events-2': '100Gi' },
};

const LOGICAL_VOLUMES: readonly LogicalVolume[] = [
  { name: 'metrics', size: '1Gi', options: {} },
  { name: 'traces', size: '512Mi', options: { thinPool: 'thin', thinPoolSize: '1536Mi' } },
  { name: 'logs', size: '768Mi', options: { thinPool: 'thin', thinPoolSize: '1536Mi' } },
];

interface LogicalVolume {
  readonly name: string;
  readonly size: string;
  readonly options: Readonly<Record<string, string>>;
}

export function addApplications(site: DemoSite): void {
  for (const [namespace, volumes] of Object.entries(APPLICATIONS)) {
    site.namespace(namespace);
    for (const [name, size] of Object.entries(volumes)) addApplication(site, namespace, name, size);
  }
}

function addApplication({ objects }: DemoSite, namespace: string, name: string, size: string): void {
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: CLASS, resources: { requests: { storage: size } } },
  });
  objects.create(PODS, {
    metadata: { name, namespace },
    spec: {
      containers: [{ name: 'main', image: `example.com/${name}` }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  });
}

export function addLogicalVolumes({ objects }: DemoSite, node: string): void {
  for (const { name, size, options } of LOGICAL_VOLUMES)
    objects.create(PERSISTENT_VOLUMES, {
      metadata: {
        name,
        annotations: Object.fromEntries(Object.entries(options).map(([key, value]) => [`${PREFIX}${key}`, value])),
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: size },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: STORAGE_CLASS,
        local: { path: `${DEFAULT_MOUNT_BASE}/${name}` },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: NODE_ID_LABEL, operator: 'In', values: [node] }] }],
          },
        },
      },
    });
}

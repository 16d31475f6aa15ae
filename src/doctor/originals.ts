/** How the five programs that Holdfast takes the place of are known in a cluster: by their images, names, commands, leases and field managers. */
import type { Job } from './writers.ts';

export interface Original {
  readonly name: string;
  readonly job: Job;
  readonly images: readonly string[];
  /** The names of its Deployment or DaemonSet, or how they end. */
  readonly workloads: readonly string[];
  readonly command: string;
  /** The lease that it works under, where it elects. */
  readonly lease?: string;
  /** Who the API server says has written what it writes. Only names that nobody else has. */
  readonly managers: readonly string[];
  /** The file in charts/holdfast/values that takes its place. */
  readonly values: string;
}

export const ORIGINALS: readonly Original[] = [
  {
    name: 'PV Zone Operator',
    job: 'topology',
    images: ['cinaq/pv-zone-operator', 'cinaq/pv-labels-operator'],
    workloads: ['pv-zone-operator', 'pv-labels-operator'],
    command: '/pv-labels-operator',
    managers: ['pv-zone-operator', 'pv-labels-operator'],
    values: 'from-pv-zone-operator.yaml',
  },
  {
    name: 'local-pv-provisioner',
    job: 'devices',
    images: ['cybozu/local-pv-provisioner'],
    workloads: ['local-pv-provisioner'],
    command: '/local-pv-provisioner',
    managers: ['local-pv-provisioner'],
    values: 'from-local-pv-provisioner.yaml',
  },
  {
    name: 'k8s-local-pv',
    job: 'lvm',
    images: ['ntavares/k8s-local-pv'],
    workloads: ['k8s-local-pv'],
    command: '/k8s-local-pv',
    managers: [],
    values: 'from-k8s-local-pv.yaml',
  },
  {
    name: 'PV Pool Operator',
    job: 'pool',
    images: ['kfirpayne/pv-pool-operator'],
    workloads: ['pv-pool-operator-controller-manager'],
    command: '/manager',
    lease: '53e80ed0.noobaa.com',
    managers: [],
    values: 'from-pv-pool-operator.yaml',
  },
  {
    name: 'PersistentVolume Sync Operator',
    job: 'sync',
    images: ['bartvanbenthem/pvsync'],
    workloads: ['pvsync-operator'],
    command: '/usr/local/bin/pvsync',
    managers: [],
    values: 'from-pvsync-operator.yaml',
  },
];

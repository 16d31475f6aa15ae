/** Every command. Each is one file, read when it is asked for. */
import type { CommandEntry } from './line/command.ts';

export const commands: readonly CommandEntry[] = [
  {
    group: 'run',
    name: 'topology',
    summary: 'keeps the zone and region labels of volumes right',
    load: () => import('./topology/topology.ts'),
  },
  {
    group: 'run',
    name: 'devices',
    summary: 'turns the raw disks of a node into volumes, and wipes them between owners',
    load: () => import('./devices/devices.ts'),
  },
  {
    group: 'run',
    name: 'lvm',
    summary: 'makes logical volumes of the declared volumes of a node, and mounts them',
    load: () => import('./lvm/lvm.ts'),
  },
  {
    group: 'run',
    name: 'pool',
    summary: 'keeps pools of storage agents, and drains agents before they leave',
    load: () => import('./pool/pool.ts'),
  },
  {
    group: 'run',
    name: 'storage-agent',
    summary: 'stores the blobs of a pool on one volume, and hands them on before it leaves',
    load: () => import('./storage-agent/storage-agent.ts'),
  },
  {
    group: 'run',
    name: 'sync',
    summary: 'carries the definitions of volumes to a recovery cluster',
    load: () => import('./sync/sync.ts'),
  },
  {
    group: 'run',
    name: 'controller',
    summary: 'topology, pool and sync in one process',
    load: () => import('./together/controller.ts'),
  },
  {
    group: 'run',
    name: 'node',
    summary: 'devices and lvm in one process',
    load: () => import('./together/node.ts'),
  },
  {
    group: 'run',
    name: 'console',
    summary: 'a page that shows how volumes are, and what needs a person',
    load: () => import('./console/console.ts'),
  },
  {
    group: 'run',
    name: 'demo',
    summary: 'two clusters in this process, and all five jobs at work in them',
    load: () => import('./demo/demo.ts'),
  },
  {
    group: 'run',
    name: 'sandbox',
    summary: 'a cluster in this process, to try things on',
    load: () => import('./sandbox.ts'),
  },
  {
    group: 'look',
    name: 'simulate',
    summary: 'runs the controllers in a cluster on virtual time in which things go wrong',
    load: () => import('./simulate/simulate.ts'),
  },
  {
    group: 'act',
    name: 'blob',
    summary: 'stores, reads, lists and removes the blobs of a pool',
    load: () => import('./blob/blob.ts'),
  },
  {
    group: 'look',
    name: 'status',
    summary: 'how volumes stand, and what needs a person',
    load: () => import('./status/status.ts'),
  },
  {
    group: 'look',
    name: 'plan',
    summary: 'what would be done now, and why not; does nothing',
    load: () => import('./plan/plan.ts'),
  },
  {
    group: 'look',
    name: 'explain',
    summary: 'what a code in an Event, a condition or a log means, and what to do',
    load: () => import('./explain/explain.ts'),
  },
  {
    group: 'look',
    name: 'completion',
    summary: 'what bash, zsh or fish has to be told so that Tab completes',
    load: () => import('./completion/completion.ts'),
  },
  {
    group: 'look',
    name: '__complete',
    summary: 'for shells: what the last word could become',
    load: () => import('./completion/complete.ts'),
    isHidden: true,
  },
  {
    group: 'look',
    name: 'doctor',
    summary: 'whether a cluster and a node are as Holdfast needs them, and what to do if not',
    load: () => import('./doctor/doctor.ts'),
  },
  { group: 'look', name: 'version', summary: 'which build this is', load: () => import('./version.ts') },
  {
    group: 'look',
    name: 'manifests',
    summary: 'the CRDs, RBAC roles and admission policies that Holdfast needs',
    load: () => import('./manifests.ts'),
  },
];

export const examples = {
  'holdfast status': 'is all well, and what needs a person?',
  'holdfast plan': 'what would be done now, by all jobs',
  'holdfast explain isMounted': 'what a code means, and what to do',
  'holdfast version --output json': 'which build this is, for a script or a bug report',
  'holdfast manifests rbac': 'the rights that each controller asks for',
  'holdfast help manifests': 'everything about one command',
};

/** The command line. It only picks: every command is one file in commands/, read when it is asked for. */
import { invokedAs, takeInvokedName } from './commands/invoked-as.ts';
import type { CommandEntry } from './commands/line/command.ts';
import { runCommandLine } from './commands/line/program.ts';

const commands: readonly CommandEntry[] = [
  {
    group: 'run',
    name: 'topology',
    summary: 'keeps the zone and region labels of volumes right',
    load: () => import('./commands/topology/topology.ts'),
  },
  {
    group: 'run',
    name: 'devices',
    summary: 'turns the raw disks of a node into volumes, and wipes them between owners',
    load: () => import('./commands/devices/devices.ts'),
  },
  {
    group: 'run',
    name: 'lvm',
    summary: 'makes logical volumes of the declared volumes of a node, and mounts them',
    load: () => import('./commands/lvm/lvm.ts'),
  },
  {
    group: 'run',
    name: 'pool',
    summary: 'keeps pools of storage agents, and drains agents before they leave',
    load: () => import('./commands/pool/pool.ts'),
  },
  {
    group: 'run',
    name: 'storage-agent',
    summary: 'stores the blobs of a pool on one volume, and hands them on before it leaves',
    load: () => import('./commands/storage-agent/storage-agent.ts'),
  },
  {
    group: 'run',
    name: 'sync',
    summary: 'carries the definitions of volumes to a recovery cluster',
    load: () => import('./commands/sync/sync.ts'),
  },
  {
    group: 'run',
    name: 'sandbox',
    summary: 'a cluster in this process, to try things on',
    load: () => import('./commands/sandbox.ts'),
  },
  {
    group: 'look',
    name: 'simulate',
    summary: 'runs the controllers in a cluster on virtual time in which things go wrong',
    load: () => import('./commands/simulate/simulate.ts'),
  },
  {
    group: 'act',
    name: 'blob',
    summary: 'stores, reads, lists and removes the blobs of a pool',
    load: () => import('./commands/blob/blob.ts'),
  },
  {
    group: 'look',
    name: 'status',
    summary: 'how volumes stand, and what needs a person',
    load: () => import('./commands/status/status.ts'),
  },
  { group: 'look', name: 'version', summary: 'which build this is', load: () => import('./commands/version.ts') },
  {
    group: 'look',
    name: 'manifests',
    summary: 'the CRDs, RBAC roles and admission policies that Holdfast needs',
    load: () => import('./commands/manifests.ts'),
  },
];

const examples = {
  'holdfast topology --once --dry-run': 'which volumes would get their zone?',
  'holdfast status topology': 'which volumes have none, and why',
  'holdfast version --output json': 'which build this is, for a script or a bug report',
  'holdfast manifests rbac': 'the rights that each controller asks for',
  'holdfast help manifests': 'everything about one command',
};

// Whoever reads our output may stop early (`holdfast manifests | head`). That is no failure and needs no words.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`holdfast: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
process.stderr.on('error', () => {}); // nobody reads our complaints: the exit code still tells

const name = takeInvokedName(process);
process.exitCode = await runCommandLine({ commands, examples }, invokedAs(name), process.argv.slice(2), process);

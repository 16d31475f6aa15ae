/** The machine that a command of lvm runs on: where its mounts and programs are, and the flags that say so. */
import { NODES } from '../../api/nodes.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { type Host, realHost } from '../../kit/host/host.ts';
import { inHostNamespaces } from '../../kit/host/host-namespace.ts';
import { OF_INIT } from '../../kit/host/host-root.ts';
import { DEFAULT_MOUNT_BASE } from '../../lvm/contract.ts';
import type { NodeLabels } from '../../lvm/home.ts';
import type { Viewpoint } from '../../lvm/look.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import type { OptionsOf } from '../flags/options.ts';
import { text } from '../flags/text.ts';
import { UsageError } from '../line/usage-error.ts';
import type { Visitor } from '../visit.ts';

/** What the help of those says that need LVM itself. */
export const ONLY_HERE = `Only the node itself can look at its logical volumes: this has to run there, as
root, in the pod of the agent or on the machine (then with
--mount-namespace=own).`;

export const hereFlags = {
  nodeName: flag('--node-name', 'the node that this runs on', text('node', 'worker-1'), {
    required: true,
    env: 'NODE_NAME',
  }),
  mountBase: flag('--mount-base', 'the directory that volumes are mounted in', text('directory', DEFAULT_MOUNT_BASE), {
    default: DEFAULT_MOUNT_BASE,
  }),
  mountNamespace: flag(
    '--mount-namespace',
    'where commands are run and volumes are mounted: among the mounts of the machine, or of this process',
    choice('host', 'own'),
    { default: 'host' },
  ),
};

export function hostOf({
  mountNamespace,
}: Pick<OptionsOf<typeof hereFlags>, 'mountNamespace'>): readonly [Host, Viewpoint] {
  const host = realHost({ clock: systemClock });
  if (mountNamespace === 'own') return [host, { root: '' }];
  return [
    { ...host, ...inHostNamespaces(host) },
    { root: OF_INIT, pid: 1 },
  ];
}

/** This machine as the cluster knows it. `hint` says what to do where it does not. */
export async function ownNode({ client, signal }: Visitor, name: string, hint: string): Promise<NodeLabels> {
  const node = await client.find(NODES, { name }, { signal });
  if (!node) throw new UsageError(`the cluster has no node ${name}: ${hint}`);
  return { name, labels: node.metadata.labels ?? {} };
}

/** Without a slash at its end. */
export function mountBaseOf({ mountBase }: Pick<OptionsOf<typeof hereFlags>, 'mountBase'>): string {
  if (!mountBase.startsWith('/'))
    throw new UsageError(`--mount-base has to be an absolute path, such as ${DEFAULT_MOUNT_BASE}`);
  return mountBase.replace(/\/+$/, '');
}

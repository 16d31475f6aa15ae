/** The machine that a command of lvm runs on: where its mounts and programs are, and the flags that say so. */
import { systemClock } from '../../kit/clock/clock.ts';
import { type Host, realHost } from '../../kit/host/host.ts';
import { inHostNamespaces } from '../../kit/host/host-namespace.ts';
import { DEFAULT_MOUNT_BASE } from '../../lvm/contract.ts';
import type { Viewpoint } from '../../lvm/look.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import type { OptionsOf } from '../flags/options.ts';
import { text } from '../flags/text.ts';
import { UsageError } from '../line/usage-error.ts';

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
    { root: '/proc/1/root', pid: 1 },
  ];
}

/** Without a slash at its end. */
export function mountBaseOf({ mountBase }: Pick<OptionsOf<typeof hereFlags>, 'mountBase'>): string {
  if (!mountBase.startsWith('/'))
    throw new UsageError(`--mount-base has to be an absolute path, such as ${DEFAULT_MOUNT_BASE}`);
  return mountBase.replace(/\/+$/, '');
}

/** `holdfast lvm`: makes logical volumes of the declared volumes of the node that it runs on, and mounts them. */
import { systemClock } from '../../kit/clock/clock.ts';
import { type Host, realHost } from '../../kit/host/host.ts';
import { inHostNamespaces } from '../../kit/host/host-namespace.ts';
import { widenThreadPool } from '../../kit/wipe/thread-pool.ts';
import {
  DEFAULT_MOUNT_BASE,
  DEFAULT_RESYNC,
  DEFAULT_THIN_LIMITS,
  DEFAULT_TRASH_TTL,
  type LvmSettings,
  STORAGE_CLASS,
} from '../../lvm/contract.ts';
import { lvm } from '../../lvm/controller.ts';
import type { Viewpoint } from '../../lvm/look.ts';
import { SHREDS_AT_ONCE } from '../../lvm/real-machine.ts';
import { bindAddress } from '../flags/address.ts';
import { choice } from '../flags/choice.ts';
import { positiveDuration } from '../flags/duration.ts';
import { flag } from '../flags/flag.ts';
import { integer } from '../flags/integer.ts';
import { listOf } from '../flags/list.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { nodeFlags } from '../flags/runtime.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import { listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';

export const flags = {
  ...nodeFlags,
  nodeName: flag('--node-name', 'the node that this runs on', text('node', 'worker-1'), {
    required: true,
    env: 'NODE_NAME',
  }),
  namespace: flag(
    '--namespace',
    'the namespace that this runs in: of the ConfigMap of defaults, and of Secrets that are named without one',
    text('namespace', 'holdfast'),
    { default: 'holdfast', env: 'POD_NAMESPACE' },
  ),
  mountBase: flag('--mount-base', 'the directory that volumes are mounted in', text('directory', DEFAULT_MOUNT_BASE), {
    default: DEFAULT_MOUNT_BASE,
  }),
  mountNamespace: flag(
    '--mount-namespace',
    'where commands are run and volumes are mounted: among the mounts of the machine, or of this process',
    choice('host', 'own'),
    { default: 'host' },
  ),
  storageClasses: flag(
    '--storage-classes',
    'volumes of these classes are told what is wrong with them, also when they name no node',
    listOf(text('class', STORAGE_CLASS)),
    { default: STORAGE_CLASS },
  ),
  secretNamespaces: flag(
    '--secret-namespaces',
    'whose Secrets may be the keys of encrypted volumes',
    listOf(text('namespace', 'storage')),
    { emptyIsUnset: true },
  ),
  release: flag(
    '-R, --release',
    'free volumes whose claim is gone, if their annotation autoRelease asks for it',
    onOff,
    {
      default: 'false',
    },
  ),
  sanityChecks: flag(
    '-s, --sanity-checks',
    'tell of mount points and logical volumes that belong to no volume, at the start and at each resync',
    onOff,
    { default: 'false' },
  ),
  debug: flag('-v, --debug', 'log everything', onOff, { default: 'false' }),
  thinOvercommit: flag(
    '--thin-overcommit',
    'how many times the size of a thin pool may be promised to volumes',
    integer(1, 1000),
    { default: `${DEFAULT_THIN_LIMITS.overcommit}` },
  ),
  trashTtl: flag(
    '--trash-ttl',
    'how long the logical volumes of deleted volumes are kept whose annotation removePolicy is trash',
    positiveDuration,
    { default: DEFAULT_TRASH_TTL },
  ),
  resyncPeriod: flag('--resync-period', 'how often every volume is looked at again', positiveDuration, {
    default: DEFAULT_RESYNC,
  }),
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics and health', bindAddress, {
    default: ':8080',
  }),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast lvm --node-name=$NODE': 'on a node, as its DaemonSet runs it',
    'holdfast lvm --node-name=$NODE --release': 'free volumes again whose claims are gone',
    'holdfast lvm --node-name=$NODE --mount-namespace=own': 'on a machine itself, outside of a container',
  });
  runs(command, flags, terminal, async (options) => {
    if (!options.mountBase.startsWith('/'))
      throw new UsageError(`--mount-base has to be an absolute path, such as ${DEFAULT_MOUNT_BASE}`);
    widenThreadPool(SHREDS_AT_ONCE);
    const at = listening(options.metricsBindAddress, '--metrics-bind-address');
    const [host, viewpoint] = hostOf(options.mountNamespace);
    const logging = options.debug ? ({ logLevel: 'debug' } as const) : {};
    await runJob(
      {
        name: 'lvm',
        metricsAt: at,
        healthAt: at,
        setUp: (parts) => lvm(parts, settingsOf(options), host, viewpoint),
      },
      { ...options, ...logging },
      terminal,
    );
  });
};

function hostOf(namespace: 'host' | 'own'): readonly [Host, Viewpoint] {
  const host = realHost({ clock: systemClock });
  if (namespace === 'own') return [host, { root: '' }];
  return [
    { ...host, ...inHostNamespaces(host) },
    { root: '/proc/1/root', pid: 1 },
  ];
}

const settingsOf = (options: OptionsOf<typeof flags>): LvmSettings => ({
  node: options.nodeName,
  namespace: options.namespace,
  mountBase: options.mountBase.replace(/\/+$/, ''),
  storageClasses: options.storageClasses,
  secretNamespaces: options.secretNamespaces ?? [],
  autoRelease: options.release,
  thinLimits: { ...DEFAULT_THIN_LIMITS, overcommit: options.thinOvercommit },
  resyncMs: options.resyncPeriod.milliseconds,
  trashTtlMs: options.trashTtl.milliseconds,
  sanityChecks: options.sanityChecks,
});

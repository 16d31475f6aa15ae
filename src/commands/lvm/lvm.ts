/** `holdfast lvm`: makes logical volumes of the declared volumes of the node that it runs on, and mounts them. */
import { widenThreadPool } from '../../kit/wipe/thread-pool.ts';
import {
  DEFAULT_RESYNC,
  DEFAULT_THIN_LIMITS,
  DEFAULT_TRASH_TTL,
  type LvmSettings,
  STORAGE_CLASS,
} from '../../lvm/contract.ts';
import { lvm } from '../../lvm/controller.ts';
import { SHREDS_AT_ONCE } from '../../lvm/taking-away.ts';
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
import { type Job, listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { addAdopt } from './adopt.ts';
import { addClean } from './clean.ts';
import { addForget } from './forget.ts';
import { addHeaderBackup } from './header-backup.ts';
import { hereFlags, hostOf, mountBaseOf } from './here.ts';
import { addRestore } from './restore.ts';

/** What the job itself is told; the rest is about where and how its process runs. */
export const lvmFlags = {
  mountUnits: flag(
    '--mount-units',
    'whether systemd mounts volumes at every boot, by units that are written for it: where it is process 1, or never',
    choice('auto', 'never'),
    { default: 'auto' },
  ),
  storageClasses: flag(
    '--storage-classes',
    'volumes of these classes are told what is wrong with them, also when they name no node',
    listOf(text('class', STORAGE_CLASS)),
    { default: STORAGE_CLASS },
  ),
  defaults: flag(
    '--defaults',
    'whether the right to read the ConfigMap of defaults is needed; without it, optional goes on with those that are built in',
    choice('required', 'optional'),
    { default: 'required', env: 'LVM_DEFAULTS' },
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
};

export const flags = {
  ...nodeFlags,
  ...hereFlags,
  namespace: flag(
    '--namespace',
    'the namespace that this runs in: of the ConfigMap of defaults, and of Secrets that are named without one',
    text('namespace', 'holdfast'),
    { default: 'holdfast', env: 'POD_NAMESPACE' },
  ),
  ...lvmFlags,
  debug: flag('-v, --debug', 'log everything', onOff, { default: 'false' }),
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics and health', bindAddress, {
    default: ':8080',
  }),
};

export const define: Define = (command, terminal) => {
  addAdopt(command, terminal);
  addRestore(command, terminal);
  addClean(command, terminal);
  addHeaderBackup(command, terminal);
  addForget(command, terminal);
  addExamples(command, {
    'holdfast lvm --node-name=$NODE': 'on a node, as its DaemonSet runs it',
    'holdfast lvm --node-name=$NODE --release': 'free volumes again whose claims are gone',
    'holdfast lvm --node-name=$NODE --mount-namespace=own': 'on a machine itself, outside of a container',
    'holdfast lvm adopt | kubectl apply -f -': 'bring the volumes of this node into a new cluster',
    'holdfast lvm restore PV | kubectl apply -f -': 'bring back a deleted volume that is in the trash',
    'holdfast lvm clean': 'what belongs to no volume on this node, and remove it',
    'holdfast lvm forget PV': 'let go of a volume whose node is gone for good',
  });
  runs(command, flags, terminal, async (options) => {
    const setUp = setUpLvm(options);
    const at = listening(options.metricsBindAddress, '--metrics-bind-address');
    const logging = options.debug ? ({ logLevel: 'debug' } as const) : {};
    await runJob({ name: 'lvm', metricsAt: at, healthAt: at, setUp }, { ...options, ...logging }, terminal);
  });
};

type LvmOptions = OptionsOf<typeof lvmFlags & typeof hereFlags> & { readonly namespace: string };

export function setUpLvm(options: LvmOptions): Job['setUp'] {
  const settings = settingsOf(options);
  widenThreadPool(SHREDS_AT_ONCE);
  const [host, seen] = hostOf(options);
  const viewpoint = { ...seen, makesUnits: options.mountUnits === 'auto' };
  return (parts) => lvm(parts, settings, host, viewpoint);
}

const settingsOf = (options: LvmOptions): LvmSettings => ({
  node: options.nodeName,
  namespace: options.namespace,
  mountBase: mountBaseOf(options),
  storageClasses: options.storageClasses,
  secretNamespaces: options.secretNamespaces ?? [],
  autoRelease: options.release,
  thinLimits: { ...DEFAULT_THIN_LIMITS, overcommit: options.thinOvercommit },
  resyncMs: options.resyncPeriod.milliseconds,
  trashTtlMs: options.trashTtl.milliseconds,
  sanityChecks: options.sanityChecks,
  defaultsMayBeDenied: options.defaults === 'optional',
});

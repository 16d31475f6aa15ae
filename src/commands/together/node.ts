/** `holdfast node`: both jobs of a node in one process, with one set of caches. */
import { widenThreadPool } from '../../kit/wipe/thread-pool.ts';
import { SHREDS_AT_ONCE } from '../../lvm/taking-away.ts';
import { devicesFlags, setUpDevices } from '../devices/devices.ts';
import { bindAddress } from '../flags/address.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import { listOf } from '../flags/list.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { nodeFlags } from '../flags/runtime.ts';
import { text } from '../flags/text.ts';
import { type Job, listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { hereFlags } from '../lvm/here.ts';
import { lvmFlags, setUpLvm } from '../lvm/lvm.ts';
import { inOneProcess } from './in-one-process.ts';

const JOBS = ['devices', 'lvm'] as const;
/** A run that does nothing is asked for of one job: the other would go on. */
const { dryRun: _, ...devicesFlagsTogether } = devicesFlags;

const flags = {
  ...nodeFlags,
  enable: flag('--enable', 'the jobs to do', listOf(choice(...JOBS)), { default: JOBS.join(',') }),
  namespace: flag(
    '--namespace',
    'the namespace that this runs in, and the ConfigMaps of both jobs are in',
    text('namespace', 'holdfast'),
    { default: 'holdfast', env: 'POD_NAMESPACE' },
  ),
  ...hereFlags,
  ...devicesFlagsTogether,
  ...lvmFlags,
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics and health', bindAddress, {
    default: ':8080',
  }),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast node --node-name=$NODE': 'on a node, as one DaemonSet',
    'holdfast node --node-name=$NODE --enable=lvm': 'logical volumes only',
  });
  runs(command, flags, terminal, async (options) => {
    widenThreadPool(options.wipesAtOnce + SHREDS_AT_ONCE);
    const at = listening(options.metricsBindAddress, '--metrics-bind-address');
    const setUps = await Promise.all(options.enable.map((job) => setUpOf[job](options)));
    const setUp = inOneProcess(setUps);
    await runJob({ name: 'node', metricsAt: at, healthAt: at, setUp }, options, terminal);
  });
};

type Options = OptionsOf<typeof flags>;

const setUpOf: Readonly<Record<(typeof JOBS)[number], (options: Options) => Job['setUp'] | Promise<Job['setUp']>>> = {
  devices: (options) => setUpDevices({ ...options, namespaceName: options.namespace, dryRun: false }),
  lvm: setUpLvm,
};

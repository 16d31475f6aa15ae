/** `holdfast devices`: turns the raw disks of the node that it runs on into volumes, and wipes them between owners. */
import {
  DEFAULT_POLLING_INTERVAL,
  DEFAULT_STATE_DIR,
  DEFAULT_WIPES_AT_ONCE,
  type DevicesSettings,
  MOST_WIPES_AT_ONCE,
} from '../../devices/contract.ts';
import { devices } from '../../devices/controller.ts';
import { buildInfo } from '../../kit/build-info.ts';
import { labelValueFault } from '../../kit/names.ts';
import { widenThreadPool } from '../../kit/wipe/thread-pool.ts';
import { bindAddress } from '../flags/address.ts';
import { positiveDuration } from '../flags/duration.ts';
import { flag } from '../flags/flag.ts';
import { integer } from '../flags/integer.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { quantity } from '../flags/quantity.ts';
import { nodeFlags } from '../flags/runtime.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import { type Job, listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { addApprove } from './approve.ts';
import { hostOfNode } from './host-of-node.ts';
import { addPlan } from './plan.ts';

/** What the job itself is told; the rest is about where and how its process runs. */
export const devicesFlags = {
  pollingInterval: flag(
    '--polling-interval',
    'how often devices are searched for even if no change is noticed',
    positiveDuration,
    { default: DEFAULT_POLLING_INTERVAL, env: 'LP_POLLING_INTERVAL' },
  ),
  defaultPvSpecConfigmap: flag(
    '--default-pv-spec-configmap',
    'the ConfigMap of nodes whose annotation names none',
    text('name', 'pv-spec'),
    { env: 'LP_DEFAULT_PV_SPEC_CONFIGMAP', emptyIsUnset: true },
  ),
  stateDir: flag(
    '--state-dir',
    'where it is kept which device was handed out as which volume; on the disk of the node',
    text('directory', DEFAULT_STATE_DIR),
    { default: DEFAULT_STATE_DIR },
  ),
  wipesAtOnce: flag(
    '--wipes-at-once',
    'how many devices are worked on at the same time',
    integer(1, MOST_WIPES_AT_ONCE),
    { default: `${DEFAULT_WIPES_AT_ONCE}` },
  ),
  wipeBandwidth: flag(
    '--wipe-bandwidth',
    'how many bytes per second each wipe may write; otherwise as fast as the device',
    quantity,
    { emptyIsUnset: true },
  ),
  trustInit: flag(
    '--trust-init',
    'take it that process 1 of the machine has no disk open, where its files cannot be looked at',
    onOff,
    { default: 'false' },
  ),
  dryRun: flag(
    '--dry-run',
    'say what would be done, in the log and in the report for the plan, and change nothing else',
    onOff,
    {
      default: 'false',
    },
  ),
};

export const flags = {
  ...nodeFlags,
  metricsAddr: flag('--metrics-addr', 'where to serve metrics and health', bindAddress, {
    default: ':8080',
    env: 'LP_METRICS_ADDR',
  }),
  nodeName: flag('--node-name', 'the node that this runs on', text('node', 'worker-1'), {
    required: true,
    env: 'LP_NODE_NAME',
  }),
  namespaceName: flag(
    '--namespace-name',
    'the namespace that this runs in, and its ConfigMaps are in',
    text('namespace', 'local-pv-provisioner'),
    { required: true, env: 'LP_NAMESPACE_NAME' },
  ),
  ...devicesFlags,
  development: flag('--development', 'log everything, in lines for people', onOff, {
    default: 'false',
    env: 'LP_DEVELOPMENT',
  }),
};

export const define: Define = (command, terminal) => {
  addPlan(command, terminal);
  addApprove(command, terminal);
  addExamples(command, {
    'holdfast devices --node-name=$NODE --namespace-name=storage': 'on a node, as its DaemonSet runs it',
    'holdfast devices --dry-run …': 'look at everything, and do nothing',
    'holdfast devices plan': 'what is to be made, wiped or refused, and why',
    'holdfast devices plan --here …': 'the same for this machine, before an agent runs on it',
    'holdfast devices approve NODE DEVICE': 'let a device be wiped that was refused',
    'holdfast status devices': 'how each device of each node stands',
  });
  runs(command, flags, terminal, async (options) => {
    const setUp = await setUpDevices(options);
    const at = listening(options.metricsAddr, '--metrics-addr');
    const logging = options.development ? ({ logLevel: 'debug', logFormat: 'text' } as const) : {};
    await runJob({ name: 'devices', metricsAt: at, healthAt: at, setUp }, { ...options, ...logging }, terminal);
  });
};

interface Place {
  readonly nodeName: string;
  readonly namespaceName: string;
}

export async function setUpDevices(options: OptionsOf<typeof devicesFlags> & Place): Promise<Job['setUp']> {
  const fault = labelValueFault(options.nodeName);
  if (fault) throw new UsageError(`--node-name stands in a label of each volume: ${fault}`);
  widenThreadPool(options.wipesAtOnce);
  const host = await hostOfNode();
  const settings = settingsOf(options);
  const { version } = buildInfo();
  return (parts) => devices(parts, settings, host, version);
}

const settingsOf = (options: OptionsOf<typeof devicesFlags> & Place): DevicesSettings => ({
  node: options.nodeName,
  namespace: options.namespaceName,
  defaultConfigMap: options.defaultPvSpecConfigmap,
  pollingMs: options.pollingInterval.milliseconds,
  stateDir: options.stateDir,
  wipesAtOnce: options.wipesAtOnce,
  wipeBandwidth: options.wipeBandwidth && Number(options.wipeBandwidth.toBytesCeil()),
  trustInit: options.trustInit,
  dryRun: options.dryRun,
});

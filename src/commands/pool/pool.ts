/** `holdfast pool`: keeps pools of storage agents as they are declared, and drains agents before they leave. */
import { randomBytes } from 'node:crypto';
import { pool } from '../../pool/controller.ts';
import { bindAddress } from '../flags/address.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { runtimeFlags } from '../flags/runtime.ts';
import { type Job, listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';

export const flags = {
  ...runtimeFlags,
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics', bindAddress, { default: ':8080' }),
  healthProbeBindAddress: flag('--health-probe-bind-address', 'where to serve health', bindAddress, {
    default: ':8081',
  }),
};

const secret = (bytes: number): string => randomBytes(bytes).toString('hex');

export const setUpPool: Job['setUp'] = (parts) => pool(parts, { secret });

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast pool --leader-elect': 'in a cluster, as its Deployment runs it',
    'kubectl scale pvpool data --replicas=3': 'drain the agents that are too many, then let them go',
    'kubectl annotate pvpool data holdfast.dev/cancel-scale-down=': 'give a scale down up that runs',
    'holdfast status pool': 'how full the pools are, and what needs a person',
  });
  runs(command, flags, terminal, async (options) => {
    const metricsAt = listening(options.metricsBindAddress, '--metrics-bind-address');
    const healthAt = listening(options.healthProbeBindAddress, '--health-probe-bind-address');
    await runJob({ name: 'pool', metricsAt, healthAt, setUp: setUpPool }, options, terminal);
  });
};

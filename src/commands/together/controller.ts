/** `holdfast controller`: the jobs that a cluster has once, in one process that lists and watches everything once for all of them. */
import { bindAddress } from '../flags/address.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import { listOf } from '../flags/list.ts';
import { runs } from '../flags/options.ts';
import { runtimeFlags } from '../flags/runtime.ts';
import { type Job, listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { setUpPool } from '../pool/pool.ts';
import { setUpSync } from '../sync/sync.ts';
import { setUpTopology, topologyFlags } from '../topology/topology.ts';
import { inOneProcess } from './in-one-process.ts';

const JOBS = ['topology', 'pool', 'sync'] as const;

const flags = {
  ...runtimeFlags,
  enable: flag('--enable', 'the jobs to do', listOf(choice(...JOBS)), { default: JOBS.join(',') }),
  ...topologyFlags,
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics', bindAddress, { default: ':8080' }),
  healthProbeBindAddress: flag('--health-probe-bind-address', 'where to serve health', bindAddress, {
    default: ':8081',
  }),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast controller --leader-elect': 'all three jobs, as one Deployment',
    'holdfast controller --enable=topology,pool': 'without sync',
  });
  runs(command, flags, terminal, async (options) => {
    const setUps: Readonly<Record<(typeof JOBS)[number], Job['setUp']>> = {
      topology: setUpTopology(options, false),
      pool: setUpPool,
      sync: setUpSync(terminal),
    };
    const metricsAt = listening(options.metricsBindAddress, '--metrics-bind-address');
    const healthAt = listening(options.healthProbeBindAddress, '--health-probe-bind-address');
    const setUp = inOneProcess(options.enable.map((job) => setUps[job]));
    await runJob({ name: 'controller', metricsAt, healthAt, setUp }, options, terminal);
  });
};

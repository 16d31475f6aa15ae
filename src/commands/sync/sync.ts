/** `holdfast sync`: carries the definitions of volumes and claims from a protected cluster to a recovery cluster. */
import { sync } from '../../sync/controller.ts';
import { keysFrom } from '../../sync/export/keys.ts';
import { openStore } from '../../sync/store/open.ts';
import { bindAddress } from '../flags/address.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { runtimeFlags } from '../flags/runtime.ts';
import { type Job, listening, runJob } from '../job.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { addDrill } from './drill.ts';
import { addFailback, addFailover } from './failover.ts';
import { addPlan } from './plan.ts';
import { addVerify } from './verify.ts';

export const flags = {
  ...runtimeFlags,
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics', bindAddress, { default: ':8080' }),
  healthProbeBindAddress: flag('--health-probe-bind-address', 'where to serve health', bindAddress, {
    default: ':8081',
  }),
};

export const define: Define = (command, terminal) => {
  addPlan(command, terminal);
  addDrill(command, terminal);
  addFailover(command, terminal);
  addFailback(command, terminal);
  addVerify(command, terminal);
  addExamples(command, {
    'holdfast sync --leader-elect': 'in a cluster, as its Deployment runs it',
    'kubectl label pv data volumesyncs.storage.cndev.nl/sync=enabled': 'let a volume be carried',
    'holdfast sync plan': 'what a recovery would do now',
    'holdfast sync drill': 'try it with copies, and measure how long it takes',
    'holdfast sync failover': 'make this recovery cluster the protected one',
    'holdfast status sync': 'how old the newest export is, and what needs a person',
  });
  runs(command, flags, terminal, async (options) => {
    const metricsAt = listening(options.metricsBindAddress, '--metrics-bind-address');
    const healthAt = listening(options.healthProbeBindAddress, '--health-probe-bind-address');
    await runJob({ name: 'sync', metricsAt, healthAt, setUp: setUpSync(terminal) }, options, terminal);
  });
};

/** The store and the keys are those of the environment. */
export function setUpSync({ env }: Terminal): Job['setUp'] {
  const settings = { openStore: (provider: string) => openStore(provider, env), keys: () => keysFrom(env) };
  return (parts) => sync(parts, settings);
}

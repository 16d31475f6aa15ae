/** `holdfast topology`: keeps the zone and region labels of volumes right; once, with `--once`. */
import { DEFAULT_NARROW_AFTER, DEFAULT_RESYNC_PERIOD } from '../../topology/contract.ts';
import { topology } from '../../topology/controller.ts';
import { bindAddress } from '../flags/address.ts';
import { duration } from '../flags/duration.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { runtimeFlags } from '../flags/runtime.ts';
import { onOff } from '../flags/switch.ts';
import { type Job, listening, runJob } from '../job.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { pageFlag } from '../output.ts';
import { labelOnce } from './label-once.ts';
import { policyFlags, policyOf } from './policy-flags.ts';

/** What the job itself is told; the rest is about how its process runs. */
export const topologyFlags = {
  resyncPeriod: flag('--resync-period', 'how often every volume is looked at again; 0 for never', duration, {
    default: DEFAULT_RESYNC_PERIOD,
  }),
  ...policyFlags,
  narrowAfter: flag(
    '--narrow-after',
    'how long nobody must have used a volume in a zone before the set of its zones gives that one up',
    duration,
    { default: DEFAULT_NARROW_AFTER },
  ),
  provenance: flag('--provenance', 'say in an annotation from which node and pod the labels come, and when', onOff, {
    default: 'false',
  }),
};

export const flags = {
  ...runtimeFlags,
  ...topologyFlags,
  dryRun: flag('--dry-run', 'say what would be labelled, and write nothing', onOff, { default: 'false' }),
  once: flag('--once', 'label everything once, print what changed and what could not, and end', onOff, {
    default: 'false',
  }),
  output: pageFlag,
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics and health', bindAddress, {
    default: ':8080',
  }),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast topology': 'in a cluster, as its Deployment runs it',
    'holdfast topology --once --dry-run': 'what would it change?',
    'holdfast topology --access-modes=ReadWriteOnce,ReadWriteOncePod':
      'leave volumes alone that several zones can reach',
    'holdfast status topology': 'which volumes have no zone, and why',
  });
  runs(command, flags, terminal, async (options) => {
    if (options.once) {
      const { selector = '', leaderElect } = options;
      const policy = policyOf(options, options.provenance);
      if (leaderElect) throw new UsageError('--once does not wait for a lease: leave --leader-elect out');
      await labelOnce({ ...options, policy, selector }, terminal);
      return;
    }
    if (options.output !== 'table') throw new UsageError('-o is for the table that --once prints: add --once');
    const at = listening(options.metricsBindAddress, '--metrics-bind-address');
    const setUp = setUpTopology(options, options.dryRun);
    await runJob({ name: 'topology', metricsAt: at, healthAt: at, setUp }, options, terminal);
  });
};

export function setUpTopology(options: OptionsOf<typeof topologyFlags>, dryRun: boolean): Job['setUp'] {
  const settings = {
    policy: policyOf(options, options.provenance),
    selector: options.selector ?? '',
    resyncMs: options.resyncPeriod.milliseconds,
    narrowAfterMs: options.narrowAfter.milliseconds,
    dryRun,
  };
  return (parts) => topology(parts, settings);
}

/**
 * A whole operator made of the kit, as a command in a process of its own: `sample-operator.ts sample [flags]`.
 * It copies the annotation `wanted` of each config map into its data. Read it as the pattern of a job's command and controller.
 */
import { bindAddress } from '../../../src/commands/flags/address.ts';
import { duration } from '../../../src/commands/flags/duration.ts';
import { flag } from '../../../src/commands/flags/flag.ts';
import { type OptionsOf, runs } from '../../../src/commands/flags/options.ts';
import { runtimeFlags } from '../../../src/commands/flags/runtime.ts';
import { onOff } from '../../../src/commands/flags/switch.ts';
import { invokedAs } from '../../../src/commands/invoked-as.ts';
import { listening, runJob } from '../../../src/commands/job.ts';
import type { Define } from '../../../src/commands/line/command.ts';
import { runCommandLine } from '../../../src/commands/line/program.ts';
import { sleep } from '../../../src/kit/clock/clock.ts';
import { done } from '../../../src/kit/controller/outcome.ts';
import { each } from '../../../src/kit/controller/sources.ts';
import { refOf } from '../../../src/kit/kube/resource.ts';
import type { ProgramParts } from '../../../src/kit/manager/program.ts';
import { referenceTo } from '../../../src/kit/observe/reference.ts';
import { CONFIG_MAPS, type ConfigMap } from './connected.ts';

const flags = {
  ...runtimeFlags,
  metricsBindAddress: flag('--metrics-bind-address', 'where to serve metrics and health', bindAddress, {
    default: ':8080',
  }),
  pause: flag('--pause', 'how long each reconcile takes before it writes', duration, { default: '0s' }),
  deadline: flag('--deadline', 'how long a reconcile may take', duration, { default: '2m' }),
  deaf: flag('--deaf', 'whether a reconcile that is told to give up goes on', onOff, { default: 'false' }),
};

const define: Define = (command, terminal) => {
  runs(command, flags, terminal, (options) => {
    const at = listening(options.metricsBindAddress, '--metrics-bind-address');
    const setUp = (parts: ProgramParts) => [copier(parts, options)];
    return runJob({ name: 'sample', metricsAt: at, healthAt: at, setUp }, options, terminal);
  });
};

function copier({ caches, controller, client, events, clock }: ProgramParts, options: OptionsOf<typeof flags>) {
  const { pause, deadline, deaf } = options;
  const seen = ({ metadata, data }: ConfigMap) => ({
    metadata,
    wanted: metadata.annotations?.wanted,
    has: data?.wanted,
  });
  const view = caches.view(CONFIG_MAPS, { project: seen, namespace: 'default' });
  const recorder = events.recorder('holdfast.dev/sample');
  return controller({
    name: 'sample',
    sources: [each(view)],
    deadlineMs: deadline.milliseconds,
    async reconcile(key, { signal }) {
      const map = view.get(key);
      if (map?.wanted === undefined || map.wanted === map.has) return done;
      await sleep(clock, pause.milliseconds, deaf ? undefined : signal);
      const preconditions = { uid: map.metadata.uid ?? '' };
      await client.mergePatch(CONFIG_MAPS, refOf(key), { data: { wanted: map.wanted } }, { preconditions, signal });
      const regarding = referenceTo(CONFIG_MAPS, map);
      recorder.record({ regarding, type: 'Normal', reason: 'Copied', action: 'Copy', note: `copied "${map.wanted}"` });
      return done;
    },
  });
}

const commands = [{ group: 'run', name: 'sample', summary: 'a sample', load: async () => ({ define }) }] as const;
process.exitCode = await runCommandLine(
  { commands, examples: {} },
  invokedAs('sample'),
  process.argv.slice(2),
  process,
);

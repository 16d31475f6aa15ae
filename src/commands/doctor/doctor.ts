/** `holdfast doctor`: whether a cluster, and the machine that this runs on, are as Holdfast needs them, and what to do where they are not. */
import { type Answer, answerOf, LEVELS, worseThan } from '../../doctor/answer.ts';
import { CLUSTER_CHECKS, MACHINE_CHECKS } from '../../doctor/checks/all.ts';
import { type Judged, judgeAll, unknown, type Verdict } from '../../doctor/finding.ts';
import { lookAtCluster } from '../../doctor/look.ts';
import { buildInfo } from '../../kit/build-info.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import type { Heartbeat } from '../../kit/clock/skew.ts';
import type { CallRecord } from '../../kit/kube/caller.ts';
import { choice } from '../flags/choice.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { formatted, outputFlag } from '../output.ts';
import { yesFlag } from '../question.ts';
import { type Visitor, visit } from '../visit.ts';
import { fixAll, fixInWords } from './fix.ts';
import { lookHere, machineFlags } from './here.ts';
import { answerText } from './text.ts';

const flags = {
  ...clusterFlags,
  ...machineFlags,
  fix: flag('--fix', 'put right what can be put right without harm, after a question', onOff, { default: 'false' }),
  yes: yesFlag,
  failOn: flag('--fail-on', 'end with 1 when there is this, or worse', choice(...LEVELS), { default: 'error' }),
  all: flag('--all', 'also show what is well', onOff, { default: 'false' }),
  output: outputFlag,
};

type Options = OptionsOf<typeof flags>;

export const define: Define = (command, terminal) => {
  command.usage('[flags]').addHelpText(
    'after',
    `
What cannot be looked at is unknown, with the reason, and never taken for well.
Ends with 1 when there is an error; --fail-on=unknown or warning is stricter.`,
  );
  addExamples(command, {
    'holdfast doctor': 'is this cluster as Holdfast needs it?',
    'holdfast doctor --all -o json': 'everything that was looked at, for a script',
    'holdfast doctor --node --mount-namespace=own': 'and this machine, outside of a container',
    'holdfast doctor --fix': 'put right what is safe to, after a question',
  });
  runs(command, flags, terminal, async (options) => {
    const answer = await examine(options, terminal);
    terminal.stdout.write(await formatted(forPrograms(answer), options.output, () => answerText(answer, options.all)));
    const bad = worseThan(answer, options.failOn);
    if (bad > 0) throw new Error(`${bad} ${bad === 1 ? 'thing is' : 'things are'} not well`);
  });
};

/** What would be put right is told by its name: a kind has thousands of lines. */
const forPrograms = ({ counts, checks }: Answer) => ({
  counts,
  checks: checks.map(({ check, verdict }) => ({ check, verdict: verdict.is === 'found' ? named(verdict) : verdict })),
});

const named = ({ is, findings }: Extract<Verdict, { is: 'found' }>) => ({
  is,
  findings: findings.map(({ fix, ...finding }) => ({ ...finding, ...(fix && { fix: fixInWords(fix) }) })),
});

/**
 * A machine can be looked at also when its cluster cannot be reached; then nothing is known of that one. What goes wrong once the cluster was
 * seen is told as it is, and so is that the person does not want to go on.
 */
async function examine(options: Options, terminal: Terminal): Promise<Answer> {
  const beats = new Heartbeats();
  let goesOn = true;
  try {
    return await visit(
      'doctor',
      options,
      terminal,
      async (visitor) => {
        const look = () => lookWith(visitor, beats);
        const first = await look().catch((error: unknown) => {
          goesOn = !visitor.signal.aborted;
          throw error;
        });
        goesOn = false;
        const ofCluster = options.fix && (await fixAll(first, visitor, terminal, options.yes)) ? await look() : first;
        const ofMachine = options.node ? judgeAll(MACHINE_CHECKS, await lookHere(options, visitor)) : [];
        return answerOf([...ofCluster, ...ofMachine]);
      },
      (call) => beats.heard(call),
    );
  } catch (error) {
    if (!options.node || !goesOn || error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const ofCluster = CLUSTER_CHECKS.map(({ name }) => ({ check: name, verdict: unknown(why) }));
    return answerOf([...ofCluster, ...judgeAll(MACHINE_CHECKS, await lookHere(options, why))]);
  }
}

async function lookWith(visitor: Visitor, beats: Heartbeats): Promise<readonly Judged[]> {
  const { version } = buildInfo();
  const now = () => systemClock.now();
  return judgeAll(CLUSTER_CHECKS, await lookAtCluster({ ...visitor, version, now, heartbeat: () => beats.best }));
}

/** Of all answers the one that was the least time under way tells most about the server's clock. */
class Heartbeats {
  best: Heartbeat | undefined;

  heard({ date, seconds }: CallRecord): void {
    if (date === undefined) return;
    const receivedMs = systemClock.now().getTime();
    const beat = { date, sentMs: receivedMs - seconds * 1000, receivedMs };
    if (this.best === undefined || seconds * 1000 < this.best.receivedMs - this.best.sentMs) this.best = beat;
  }
}

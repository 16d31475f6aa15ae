/** `holdfast topology --once`: labels every volume that is not as it should be, and prints a table of what changed and of what could not. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { Events } from '../../kit/observe/events.ts';
import { openLog } from '../../kit/observe/open-log.ts';
import { topologyViews } from '../../topology/cached.ts';
import { type Policy, REPORTER } from '../../topology/contract.ts';
import { silence } from '../../topology/events.ts';
import { type Labelled, type LabelledOnce, labelAll, type Trouble } from '../../topology/once.ts';
import type { RuntimeOptions } from '../flags/runtime.ts';
import { instanceIn } from '../job.ts';
import type { Terminal } from '../line/command.ts';
import { asPage, type PageFormat } from '../output.ts';
import { type Page, type Table, toned, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { visit } from '../visit.ts';

export interface OnceOptions extends RuntimeOptions {
  readonly policy: Policy;
  readonly selector: string;
  readonly dryRun: boolean;
  readonly output: PageFormat;
}

/** So long the end waits for Events that are not written yet. */
const EVENTS_MS = 15_000;

export async function labelOnce(options: OnceOptions, terminal: Terminal): Promise<void> {
  const clock = systemClock;
  const { env } = terminal;
  const { policy, selector, dryRun, logLevel: level, logFormat: format } = options;
  const tell = progressOn(terminal, clock);
  await visit('topology', options, terminal, async ({ client, signal }) => {
    const snapshot = new Snapshot();
    const views = topologyViews(snapshot, policy.labelKeys, selector);
    await snapshot.fill(client, { signal }, tell);
    const progress = (done: number, of: number) =>
      tell(`${done.toLocaleString('en')} of ${of.toLocaleString('en')} volumes`);
    const log = openLog({ clock, level, format, env });
    const events = new Events({ client, clock, random: Math.random, log, instance: instanceIn(env) });
    const recorder = dryRun ? silence : events.recorder(REPORTER);
    const parts = { snapshot, views, client, policy, selector, dryRun, clock, recorder, signal, progress };
    const labelled = await labelAll(parts);
    terminal.stdout.write(await asPage(labelled, options.output, terminal, labelledPage));
    await events.close(EVENTS_MS);
    if (signal.aborted) throw new Error('interrupted: not every volume was looked at');
    failIfAnyFailed(labelled);
  });
}

function failIfAnyFailed({ volumes, changes }: LabelledOnce): void {
  const failed = changes.filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return;
  throw new Error(
    `${failed.length} of ${volumes} volumes could not be labelled, the first because: ${failed[0]?.error}`,
  );
}

const WORDS: Readonly<Record<Labelled['outcome'], string>> = {
  labelled: 'labelled',
  wouldBeLabelled: 'would be labelled',
  gone: 'gone before it could be labelled',
  failed: 'failed',
  cutOff: 'cut off, perhaps after it was labelled',
};

/** What was changed, or would be, and what is not as it should be all the same. */
export function labelledPage({ volumes, changes, troubles }: LabelledOnce): Page {
  const lookedAt = volumes === 1 ? '1 volume was' : `${volumes} volumes were`;
  const inTrouble = troubles.length > 0 ? `, ${troubles.length} of them in trouble` : '';
  const summary = `${changes.length === 0 ? 'Nothing to change' : sumOf(changes)}; ${lookedAt} looked at${inTrouble}.`;
  return [
    {
      columns: ['VOLUME', 'CLAIM', 'LABEL', 'FROM', 'TO', 'NODE', wide('POD'), 'OUTCOME'],
      rows: changes.flatMap((row) =>
        changesOf(row).map((change) => [row.volume, row.claim, ...change, row.node, row.pod, outcomeOf(row)]),
      ),
    },
    ...(troubles.length > 0 ? [troubleTable(troubles)] : []),
    { sentences: [summary] },
  ];
}

const troubleTable = (troubles: readonly Trouble[]): Table => ({
  title: 'VOLUMES IN TROUBLE',
  columns: ['VOLUME', 'CLAIM', wide('CODE'), 'WHY'],
  rows: troubles.map(({ volume, claim, code, why }) => [volume, claim, code, toned(why, 'warn')]),
});

const changesOf = ({ changes, nodeAffinity }: Labelled): readonly (readonly string[])[] => [
  ...changes.map(({ key, from, to }) => [key, from || '-', to]),
  ...(nodeAffinity ? [['spec.nodeAffinity', '-', 'as the labels']] : []),
];

const outcomeOf = ({ outcome, error }: Labelled): string =>
  error ? `${WORDS[outcome]}: ${error.replaceAll(/\s+/g, ' ')}` : WORDS[outcome];

function sumOf(rows: readonly Labelled[]): string {
  const counts = Object.entries(WORDS).map(([outcome, words]) => {
    const count = rows.filter((row) => row.outcome === outcome).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  return counts.flat().join(', ');
}

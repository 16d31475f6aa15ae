/** `holdfast topology --once`: labels every volume that is not as it should be, and prints a table of what changed. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { topologyViews } from '../../topology/cached.ts';
import type { Policy } from '../../topology/contract.ts';
import { type Labelled, labelAll } from '../../topology/once.ts';
import type { clusterFlags } from '../flags/cluster.ts';
import type { OptionsOf } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { formatted, type OutputFormat } from '../output.ts';
import { progressOn } from '../progress.ts';
import { table } from '../table.ts';
import { visit } from '../visit.ts';

export interface OnceOptions extends OptionsOf<typeof clusterFlags> {
  readonly policy: Policy;
  readonly selector: string;
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

export async function labelOnce(options: OnceOptions, terminal: Terminal): Promise<void> {
  const clock = systemClock;
  const tell = progressOn(terminal, clock);
  const { policy, selector, dryRun } = options;
  await visit('topology', options, terminal, async ({ client, signal }) => {
    const snapshot = new Snapshot();
    const views = topologyViews(snapshot, policy.labelKeys, selector);
    await snapshot.fill(client, { signal }, tell);
    const progress = (done: number, of: number) =>
      tell(`${done.toLocaleString('en')} of ${of.toLocaleString('en')} volumes`);
    const rows = await labelAll({ snapshot, views, client, policy, selector, dryRun, clock, signal, progress });
    const all = views.volumes.size;
    terminal.stdout.write(await formatted(rows, options.output, () => asText(rows, all)));
    const failed = rows.filter(({ outcome }) => outcome === 'failed');
    if (signal.aborted) throw new Error('interrupted: not every volume was looked at');
    if (failed.length > 0) {
      throw new Error(
        `${failed.length} of ${all} volumes could not be labelled, the first because: ${failed[0]?.error}`,
      );
    }
  });
}

const WORDS: Readonly<Record<Labelled['outcome'], string>> = {
  labelled: 'labelled',
  wouldBeLabelled: 'would be labelled',
  gone: 'gone before it could be labelled',
  failed: 'failed',
  cutOff: 'cut off, perhaps after it was labelled',
};

function asText(rows: readonly Labelled[], all: number): string {
  const summary = `${rows.length === 0 ? 'Nothing to change' : sumOf(rows)}; ${all === 1 ? '1 volume was' : `${all} volumes were`} looked at.\n`;
  if (rows.length === 0) return summary;
  const lines = rows.flatMap((row) =>
    changesOf(row).map((change) => [row.volume, row.claim, ...change, row.node, outcomeOf(row)]),
  );
  return `${table([['VOLUME', 'CLAIM', 'LABEL', 'FROM', 'TO', 'NODE', 'OUTCOME'], ...lines])}\n${summary}`;
}

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

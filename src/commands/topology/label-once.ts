/** `holdfast topology --once`: labels every volume that is not as it should be, and prints a table of what changed. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { topologyViews } from '../../topology/cached.ts';
import type { Policy } from '../../topology/contract.ts';
import { type Labelled, labelAll } from '../../topology/once.ts';
import type { clusterFlags } from '../flags/cluster.ts';
import type { OptionsOf } from '../flags/options.ts';
import type { Terminal } from '../line/command.ts';
import { asPage, type PageFormat } from '../output.ts';
import { type Page, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { visit } from '../visit.ts';

export interface OnceOptions extends OptionsOf<typeof clusterFlags> {
  readonly policy: Policy;
  readonly selector: string;
  readonly dryRun: boolean;
  readonly output: PageFormat;
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
    terminal.stdout.write(await asPage(rows, options.output, terminal, () => labelledPage(rows, all)));
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

/** What was changed, or would be. */
export function labelledPage(rows: readonly Labelled[], all: number): Page {
  const lookedAt = all === 1 ? '1 volume was' : `${all} volumes were`;
  const summary = `${rows.length === 0 ? 'Nothing to change' : sumOf(rows)}; ${lookedAt} looked at.`;
  return [
    {
      columns: ['VOLUME', 'CLAIM', 'LABEL', 'FROM', 'TO', 'NODE', wide('POD'), 'OUTCOME'],
      rows: rows.flatMap((row) =>
        changesOf(row).map((change) => [row.volume, row.claim, ...change, row.node, row.pod, outcomeOf(row)]),
      ),
    },
    { sentences: [summary] },
  ];
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

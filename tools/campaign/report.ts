/** What a campaign has tried and found, as Markdown. */
import type { Fault } from '../../src/sandbox/simulate/fault.ts';
import { type Case, PARTS } from './cases.ts';

export interface Found {
  readonly each: Case;
  readonly wrong: readonly string[];
  readonly replay: string;
  /** As short as it can be; only of the first of a kind. */
  readonly shortened?: string;
}

/** A case that was played, and the faults of it that something has met. */
export interface PlayedCase extends Case {
  readonly struck: readonly Fault[];
}

export interface Campaign {
  readonly command: string;
  readonly played: readonly PlayedCase[];
  readonly planned: number;
  readonly found: readonly Found[];
}

/** Numbers and paths differ between failures of one kind. */
export const kindOf = (wrong: readonly string[]): string => (wrong[0] ?? '').replaceAll(/\d+/g, 'N').slice(0, 80);

export function inMarkdown({ command, played, planned, found }: Campaign): string {
  const stories = [...new Set(played.map(({ story }) => story))];
  return [
    `\`${command}\` played ${played.length} of ${planned} cases, and ${found.length === 0 ? 'none failed' : `${found.length} failed`}.`,
    '',
    '## Cases',
    '',
    row('story', ...PARTS, 'failed'),
    row('---', ...PARTS.map(() => '---:'), '---:'),
    ...stories.map((story) => {
      const own = played.filter((each) => each.story === story);
      const counts = PARTS.map((part) => own.filter((each) => each.part === part).length);
      return row(story, ...counts, found.filter(({ each }) => each.story === story).length);
    }),
    ...(found.length === 0 ? [] : ['', '## Found', '', ...found.flatMap(failure)]),
    '',
    '## Call sites and faults',
    '',
    `How often each fault struck at each kind of call, alone or beside others. Names that differ only in a number are one. ${missed(played)}`,
    ...stories.flatMap((story) => [
      '',
      `### ${story}`,
      '',
      ...sitesAndFaults(played.filter((each) => each.story === story)),
    ]),
    '',
  ].join('\n');
}

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

function failure({ wrong, replay, shortened }: Found): readonly string[] {
  const lines = [`- ${wrong.join('; ').slice(0, 400)}`, `  \`${replay}\``];
  return shortened ? [...lines, '', '  ```', ...shortened.split('\n').map((line) => `  ${line}`), '  ```', ''] : lines;
}

/** Those that chance has put at a call that nobody made. */
function missed(played: readonly PlayedCase[]): string {
  const planned = played.flatMap(({ faults }) => faults).length;
  const struck = played.flatMap((each) => each.struck).length;
  return `Of ${planned} faults, ${planned - struck} met nothing: the call that they were meant for was never made.`;
}

function sitesAndFaults(played: readonly PlayedCase[]): readonly string[] {
  const counts = new Map<string, Map<string, number>>();
  const kinds = new Set<string>();
  for (const fault of played.flatMap(({ struck }) => struck)) {
    const site = siteOf(fault);
    const own = counts.get(site) ?? new Map<string, number>();
    counts.set(site, own.set(fault.kind, (own.get(fault.kind) ?? 0) + 1));
    kinds.add(fault.kind);
  }
  const columns = [...kinds];
  return [
    row('call site', ...columns),
    row('---', ...columns.map(() => '---:')),
    ...[...counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([site, own]) => row(`\`${site}\``, ...columns.map((kind) => own.get(kind) ?? ''))),
  ];
}

function siteOf(fault: Fault): string {
  if (fault.at === 'time') return `${fault.job}: at any time`;
  const watch = fault.at === 'watch' ? 'stream of ' : '';
  return `${fault.job}: ${watch}${fault.call.replaceAll(/(?<![a-z])\d+/g, 'N')}`;
}

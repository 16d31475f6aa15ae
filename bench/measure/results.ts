/** Keeps the results of a group: as JSON for programs, as a page for people. Figures of a quick run are kept apart. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Group } from './group.ts';
import type { Machine } from './machine.ts';
import { type Measured, meetsTarget, type Row, renewed } from './row.ts';
import { table } from './table.ts';

export interface Results {
  readonly group: string;
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly rows: readonly Row[];
}

const DIRECTORY = new URL('../results/', import.meta.url);

export function writeResults(group: Group, results: Results, quick: boolean): void {
  mkdirSync(DIRECTORY, { recursive: true });
  const rows = results.rows.map((row) => ({ ...row, met: meetsTarget(row) }));
  const json = `${JSON.stringify({ ...results, rows }, roundNumbers, 2)}\n`;
  writeFileSync(new URL(`${group.name}${quick ? '.local' : ''}.json`, DIRECTORY), json);
  for (const [file, { of }] of Object.entries(group.charts ?? {})) if (of) writeChart(file, of(results.rows), !quick);
  if (!quick) writeFileSync(new URL(`${group.name}.md`, DIRECTORY), page(group, results));
}

/** The groups of which something is recorded. */
export const recordedGroups = (): readonly string[] =>
  readdirSync(DIRECTORY)
    .filter((file) => /^[^.]+\.json$/.test(file))
    .map((file) => file.replace(/\.json$/, ''));

/** Undefined when nothing is recorded yet. */
export function recordedResults(name: string): Results | undefined {
  const file = new URL(`${name}.json`, DIRECTORY);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : undefined;
}

/** A picture beside the results. One of a quick run, or of a part of them, is kept apart, as its figures are. */
export function writeChart(file: string, svg: string, isWhole: boolean): void {
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(new URL(isWhole ? file : file.replace(/\.svg$/, '.local.svg'), DIRECTORY), svg);
}

/** Puts what was measured once more into the results that are there, if any. It says of each such figure which run it is from. */
export function renewResults(group: Group, { rows, date, rounds, ...run }: Results): void {
  const before = recordedResults(group.name);
  const since: Measured = { date, rounds, load: run.machine.load };
  const results = before ? { ...before, rows: renewed(before.rows, rows, since) } : { rows, date, rounds, ...run };
  writeResults(group, results, false);
}

const roundNumbers = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value;

export function page(group: Group, { date, machine, versions, rounds, rows }: Results): string {
  const { cores, cpu, memoryGb, platform, node, load } = machine;
  const software = Object.entries({ node, ...versions }).map(
    ([name, version]) => `${name} ${version.replace(/^v/, '')}`,
  );
  return `# Benchmarks: ${group.name}

${group.about}

Measured on ${date} by \`make bench GROUP=${group.name}\`, ${howOften(rounds)}${runOnce(group)}, on ${cores} cores (${cpu}, ${platform}),
${memoryGb} GB of memory, at a load of ${load} before the run; ${software.join(', ')}.

${charts(group)}${table(rows)}

${later(rows)}${group.benchmarks.map(({ name, about }) => `- **${name}**: ${about}`).join('\n')}
`;
}

function runOnce({ benchmarks }: Group): string {
  const names = benchmarks.filter(({ isRunOnce }) => isRunOnce).map(({ name }) => `**${name}**`);
  return names.length > 0 ? ` (those of ${names.join(' and ')} are of one run)` : '';
}

const howOften = (rounds: number): string =>
  rounds === 1 ? 'each figure measured once' : `each figure the median of ${rounds} rounds`;

const charts = ({ charts: drawn = {} }: Group): string =>
  Object.entries(drawn)
    .map(([file, { about }]) => `![${about}](${file})\n\n`)
    .join('');

/** What is not from the run that the head of the page tells of. */
function later(rows: readonly Row[]): string {
  const runs = Map.groupBy(
    rows.filter(({ since }) => since !== undefined),
    ({ since }) => since && `on ${since.date}, ${howOften(since.rounds)}, at a load of ${since.load} before the run`,
  );
  const lines = [...runs].map(([run, found]) => {
    const names = [...new Set(found.map(({ what }) => what))].join('; ');
    return `Measured once more ${run}, with what the program was by then: ${names}.\n\n`;
  });
  return lines.join('');
}

/** What was measured, of all groups, from bench/results. */
import { type Results, recordedGroups, recordedResults } from '../../bench/measure/results.ts';
import { meetsTarget, type Row } from '../../bench/measure/row.ts';
import { cellsOf } from '../../bench/measure/table.ts';
import { code, table } from './table.ts';

const recorded = (): readonly Results[] => recordedGroups().flatMap((name) => recordedResults(name) ?? []);

/** Each group with its command, its machine and its verdict. */
export const benchmarkGroupTable = (): string =>
  table(
    ['group', 'command', 'measured on', 'rounds', 'machine', 'load before', 'targets met', 'targets missed'],
    recorded().map(({ group, date, rounds, machine, rows }) => [
      `[${group}](../bench/results/${group}.md)`,
      code(`make bench GROUP=${group}`),
      date,
      `${rounds}`,
      `${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Node.js ${machine.node.replace(/^v/, '')}`,
      `${machine.load}`,
      `${count(rows, true)}`,
      `${count(rows, false)}`,
    ]),
  );

const count = (rows: readonly Row[], met: boolean): number => rows.filter((row) => meetsTarget(row) === met).length;

/** Every figure that is compared with something. */
export const benchmarkTable = (): string =>
  table(
    ['group', 'what', 'figure', 'limit', 'ours', 'ours / limit', 'target', ''],
    recorded().flatMap(({ group, rows }) => rows.filter(isCompared).map((row) => [group, ...cellsOfRow(row)])),
  );

const isCompared = ({ limit, target }: Row): boolean => limit !== undefined || target !== undefined;

function cellsOfRow(row: Row): readonly string[] {
  const [what = '', figure = '', limit = '', ours = '', ratio = '', target = '', , verdict = ''] = cellsOf(row);
  return [what, figure, limit, ours, ratio, target, verdict].map((cell) => cell.replaceAll('|', '\\|'));
}

/** The figures of docs/scale.md: each job at each size. */
export function scaleTable(): string {
  const rows = recordedResults('scale')?.rows ?? [];
  const lines = Map.groupBy(rows, ({ what }) => what);
  return table(
    [
      'job',
      'volumes and nodes',
      'CPU time',
      'peak memory',
      'memory after',
      'requests',
      'writes per volume',
      'CPU time for 2,000 changes on other nodes',
    ],
    [...lines].map(([what, found]) => {
      const figure = (pattern: RegExp) => {
        const row = found.find((each) => pattern.test(each.figure));
        return row ? (cellsOf(row)[3] ?? '') : '';
      };
      const [, job = '', size = ''] = /^(.*), ([\d,]+ volumes and .*)$/.exec(what) ?? [];
      const figures = [/^CPU time$/, /^peak memory$/, /^memory after$/, /^requests$/, /^writes per/, /on other nodes$/];
      return [job, size, ...figures.map(figure)];
    }),
  );
}

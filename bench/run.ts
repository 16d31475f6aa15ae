/** Runs benchmarks: `node bench/run.ts --help` says how. Ends with 1 when a target was missed or a ratio has become worse, with 2 when it was used wrongly. */
import { type Group, groupNames, loadGroup } from './measure/group.ts';
import { machine, versions } from './measure/machine.ts';
import { help, isOfAll, isWhole, type Options, optionsOf, UsageError } from './measure/options.ts';
import { inWords, regressions } from './measure/regression.ts';
import { recordedResults, renewResults, writeChart, writeResults } from './measure/results.ts';
import { meetsTarget, nameOf, type Row } from './measure/row.ts';
import { table } from './measure/table.ts';
import { World } from './world/world.ts';

const KEPT = 'what is recorded stays as it is: --record puts these results into its place';

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`bench/run.ts: ${error.message}\nSee node bench/run.ts --help.`);
  return 2;
});

async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args, groupNames());
  if (options.help) {
    const groups = await Array.fromAsync(groupNames(), loadGroup);
    console.log(help(new Map(groups.map(({ name, about }) => [name, about]))));
    return 0;
  }
  const complaints: string[] = [];
  for (const name of options.groups) complaints.push(...(await runGroup(await loadGroup(name), options)));
  for (const complaint of complaints) console.log(complaint);
  return complaints.length > 0 ? 1 : 0;
}

/** Resolves with what is not as good as it has to be, or was. */
async function runGroup(group: Group, options: Options): Promise<readonly string[]> {
  const { quick, renew, record } = options;
  const rounds = group.rounds ?? options.rounds;
  const before = machine();
  const recorded = recordedResults(group.name)?.rows ?? [];
  const rows = await runBenchmarks(group, options);
  console.log(`\n${table(rows)}\n`);
  const date = new Date().toISOString().slice(0, 10);
  const results = { group: group.name, date, machine: before, versions: versions(), rounds, rows };
  const worse = quick ? [] : regressions(recorded, rows);
  /** What has become worse stays so in every run, until somebody says that it is to be. */
  const isKept = worse.length > 0 && !record;
  if (!isOfAll(options)) {
    if (renew && !quick) renewResults(group, results);
  } else writeResults(group, results, isKept || !isWhole(options));
  return quick
    ? []
    : [...missed(rows), ...worse.map((each) => `regression: ${inWords(each)}`), ...(isKept ? [KEPT] : [])];
}

function missed(rows: readonly Row[]): readonly string[] {
  return rows.filter((row) => meetsTarget(row) === false).map((row) => `target missed: ${nameOf(row)}`);
}

async function runBenchmarks(group: Group, options: Options): Promise<readonly Row[]> {
  await using world = new World();
  const { only, rounds, quick, largest, minutes } = options;
  const progress = (line: string) => console.log(line);
  const draw = (file: string, svg: string) => writeChart(file, svg, isWhole(options));
  const rows: Row[] = [];
  for (const { name, about, run } of group.benchmarks) {
    if (only.length > 0 && !only.includes(name)) continue;
    console.log(`${group.name}: ${name}: ${about}`);
    rows.push(...(await run({ world, rounds, quick, largest, minutes, progress, draw })));
  }
  return rows;
}

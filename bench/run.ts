/** Runs benchmarks: `node bench/run.ts [GROUP…] [--only BENCHMARK] [--rounds K] [--quick] [--largest N] [--renew]`. Ends with 1 when a target was missed. */
import { parseArgs } from 'node:util';
import { type Group, groupNames, loadGroup } from './measure/group.ts';
import { machine, versions } from './measure/machine.ts';
import { renewResults, writeResults } from './measure/results.ts';
import { meetsTarget, type Row } from './measure/row.ts';
import { table } from './measure/table.ts';
import { World } from './world/world.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    largest: { type: 'string' },
    renew: { type: 'boolean', default: false },
  },
});
const { only, quick } = options;
const rounds = Number(options.rounds ?? (quick ? 1 : 3));
const largest = Number(options.largest ?? Number.POSITIVE_INFINITY);

const missed: Row[] = [];
for (const name of chosenGroups()) missed.push(...(await runGroup(await loadGroup(name))));
for (const { what, figure } of missed) console.log(`target missed: ${what}: ${figure}`);
process.exitCode = missed.length > 0 ? 1 : 0;

function chosenGroups(): readonly string[] {
  const known = groupNames();
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown) throw new Error(`there is no benchmark group "${unknown}": the groups are ${known.join(', ')}`);
  return positionals.length > 0 ? positionals : known;
}

/** Resolves with the rows that missed their target. */
async function runGroup(group: Group): Promise<readonly Row[]> {
  const before = machine();
  const rows = await runBenchmarks(group);
  console.log(`\n${table(rows)}\n`);
  const date = new Date().toISOString().slice(0, 10);
  const isWhole = only.length === 0 && options.largest === undefined;
  // A part of the figures would push the others out of the page.
  if (isWhole) {
    writeResults(group, { group: group.name, date, machine: before, versions: versions(), rounds, rows }, quick);
  } else if (options.renew && !quick) {
    renewResults(group, rows, { date, rounds, load: before.load });
  }
  return quick ? [] : rows.filter((row) => meetsTarget(row) === false);
}

async function runBenchmarks(group: Group): Promise<readonly Row[]> {
  await using world = new World();
  const rows: Row[] = [];
  for (const { name, about, run } of group.benchmarks) {
    if (only.length > 0 && !only.includes(name)) continue;
    console.log(`${group.name}: ${name}: ${about}`);
    rows.push(...(await run({ world, rounds, quick, largest, progress: (line) => console.log(line) })));
  }
  return rows;
}

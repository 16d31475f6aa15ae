/**
 * Tables of reference, made from the code: `node tools/reference/write.ts` puts them into the pages, between two marks, and a test
 * keeps them true.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Registry } from 'prom-client';
import { agentMetrics } from '../../src/agent/metrics.ts';
import { flags as devicesFlags } from '../../src/commands/devices/devices.ts';
import type { Flag } from '../../src/commands/flags/flag.ts';
import { flags as lvmFlags } from '../../src/commands/lvm/lvm.ts';
import { flags as poolFlags } from '../../src/commands/pool/pool.ts';
import { flags as agentFlags } from '../../src/commands/storage-agent/storage-agent.ts';
import { flags as syncFlags } from '../../src/commands/sync/sync.ts';
import { flags as topologyFlags } from '../../src/commands/topology/topology.ts';
import { EACH_REFUSAL } from '../../src/devices/builders.ts';
import { GUARDS } from '../../src/devices/guards.ts';
import { devicesMetrics } from '../../src/devices/metrics.ts';
import { canBeApproved, explain, type Refusal, type RefusalFact, remedyOf } from '../../src/devices/refusals.ts';
import { Standings as DevicesStandings } from '../../src/devices/standings.ts';
import { lvmMetrics } from '../../src/lvm/metrics.ts';
import { Standings as LvmStandings } from '../../src/lvm/standings.ts';
import { pvPoolResource } from '../../src/pool/custom-resource.ts';
import { poolMetrics } from '../../src/pool/metrics.ts';
import { persistentVolumeSyncResource } from '../../src/sync/custom-resource.ts';
import { syncMetrics } from '../../src/sync/metrics.ts';
import { topologyMetrics } from '../../src/topology/metrics.ts';
import { Standings } from '../../src/topology/standings.ts';
import { benchmarkGroupTable, benchmarkTable, scaleTable } from './benchmarks.ts';
import { commandSections, commandTable, exitCodeTable } from './command-line.ts';
import { codeTable } from './errors.ts';
import { fsOptsTable, mountOptsTable, notAllowedTable, optionTable, refusalTable } from './lvm.ts';
import { specTable } from './spec.ts';
import { syncRefusalTable } from './sync.ts';
import { code, table } from './table.ts';
import { valuesTable } from './values.ts';

const root = resolve(import.meta.dirname, '../..');

/** The tables by the name that stands in their mark. */
const TABLES: Readonly<Record<string, () => string>> = {
  'flags of devices': () => flagTable(devicesFlags),
  'metrics of devices': () => metricTable((registry) => devicesMetrics(registry, new DevicesStandings(), 'node')),
  'guards of devices': guardTable,
  'flags of lvm': () => flagTable(lvmFlags),
  'metrics of lvm': () => metricTable((registry) => lvmMetrics(registry, new LvmStandings())),
  'options of lvm': optionTable,
  'refusals of lvm': refusalTable,
  'fsOpts of lvm': fsOptsTable,
  'mountOpts of lvm': mountOptsTable,
  'refused fsOpts of lvm': () => notAllowedTable('mkfsRefused'),
  'refused mountOpts of lvm': () => notAllowedTable('mountRefused'),
  'flags of pool': () => flagTable(poolFlags),
  'metrics of pool': () => metricTable(poolMetrics),
  'spec of pool': () => specTable(pvPoolResource),
  'flags of storage-agent': () => flagTable(agentFlags),
  'metrics of storage-agent': () => metricTable(agentMetrics),
  'flags of sync': () => flagTable(syncFlags),
  'metrics of sync': () => metricTable((registry) => syncMetrics(registry, () => 0)),
  'spec of sync': () => specTable(persistentVolumeSyncResource),
  'refusals of sync': syncRefusalTable,
  'flags of topology': () => flagTable(topologyFlags),
  'metrics of topology': () => metricTable((registry) => topologyMetrics(registry, new Standings())),
  'codes of topology': () => codeTable('topology'),
  'codes of devices': () => codeTable('devices'),
  'codes of lvm': () => codeTable('lvm'),
  'codes of pool': () => codeTable('pool'),
  'codes of sync': () => codeTable('sync'),
  'benchmark groups': benchmarkGroupTable,
  'all benchmarks': benchmarkTable,
  'costs at scale': scaleTable,
  'all commands': commandTable,
  'flags of all commands': commandSections,
  'exit codes': exitCodeTable,
  'values of holdfast': () => valuesTable('charts/holdfast'),
  'values of local-volumes': () => valuesTable('charts/holdfast/charts/local-volumes'),
};

/** The pages that have such tables. */
export const PAGES = [
  'charts/holdfast/README.md',
  'docs/benchmarks.md',
  'docs/command-line.md',
  'docs/devices.md',
  'docs/lvm.md',
  'docs/lvm-options.md',
  'docs/pool.md',
  'docs/scale.md',
  'docs/reference/command-line.md',
  'docs/reference/errors.md',
  'docs/sync.md',
  'docs/topology.md',
];

const MARKED = /<!-- table: (.+?) -->\n.*?<!-- end of table -->/gs;

export const pageNow = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The page with its tables as the code has them. */
export const pageAsItShouldBe = (page: string): string =>
  pageNow(page).replaceAll(MARKED, (_, name: string) => {
    const table = TABLES[name];
    if (!table) throw new Error(`${page} wants a table that there is not: ${name}`);
    return `<!-- table: ${name} -->\n\n${table()}\n<!-- end of table -->`;
  });

function flagTable(flags: Readonly<Record<string, Flag<unknown>>>): string {
  const rows = Object.values(flags).map(({ flags: spelling, description, settings }) => {
    const notes = settings.env ? `${description} (or \`${settings.env}\`)` : description;
    return [
      code(spelling.replace(/ \[.*\]$/, '')),
      settings.default === undefined ? '' : code(settings.default),
      notes,
    ];
  });
  return table(['flag', 'default', 'what'], rows);
}

function metricTable(register: (registry: Registry) => unknown): string {
  const registry = new Registry();
  register(registry);
  const ours = registry.getMetricsAsArray().filter(({ name }) => !/^(nodejs|process)_/.test(name));
  const rows = ours.map((metric) => {
    const { labelNames = [] } = metric as { readonly labelNames?: readonly string[] };
    return [code(metric.name), String(metric.type), labelNames.join(', '), metric.help.replace(/\.$/, '')];
  });
  return table(['metric', 'type', 'labels', 'what'], rows);
}

/** In the order in which they are asked, with an example of each. */
function guardTable(): string {
  const facts = [
    'isNotABlockDevice' as const,
    'doesNotAnswer' as const,
    ...GUARDS.map(({ name }) => name as RefusalFact),
  ];
  const rows = facts
    .map((fact) => EACH_REFUSAL[fact])
    .map((refusal: Refusal) => [
      code(refusal.fact),
      `the device ${explain(refusal)}`,
      canBeApproved(refusal) ? 'yes' : '',
      remedyOf(refusal),
    ]);
  return table(['fact', 'for example', 'can be approved', 'what to do'], rows);
}

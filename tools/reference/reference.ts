/**
 * Tables of reference, made from the code: `node tools/reference/write.ts` puts them into the pages, between two marks, and a test
 * keeps them true.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { flags as devicesFlags } from '../../src/commands/devices/devices.ts';
import type { Flag } from '../../src/commands/flags/flag.ts';
import { flags as lvmFlags } from '../../src/commands/lvm/lvm.ts';
import { flags as poolFlags } from '../../src/commands/pool/pool.ts';
import { flags as agentFlags } from '../../src/commands/storage-agent/storage-agent.ts';
import { flags as syncFlags } from '../../src/commands/sync/sync.ts';
import { flags as topologyFlags } from '../../src/commands/topology/topology.ts';
import { EACH_REFUSAL } from '../../src/devices/builders.ts';
import { GUARDS } from '../../src/devices/guards.ts';
import { canBeApproved, explain, type Refusal, type RefusalFact, remedyOf } from '../../src/devices/refusals.ts';
import { pvPoolResource } from '../../src/pool/custom-resource.ts';
import { persistentVolumeSyncResource } from '../../src/sync/custom-resource.ts';
import { benchmarkGroupTable, benchmarkTable, scaleTable } from './benchmarks.ts';
import { commandSections, commandTable, exitCodeTable } from './command-line.ts';
import { fieldTable, kindTable, objectRuleTable } from './custom-resources.ts';
import { flagVariableTable, otherVariableTable, syncVariableTable } from './environment.ts';
import { codeTable } from './errors.ts';
import { eventTable } from './events.ts';
import { fsOptsTable, mountOptsTable, notAllowedTable, optionTable, refusalTable } from './lvm.ts';
import { kitMetricTable, metricTable, processMetricTable } from './metrics.ts';
import { policyTable, rightsTable, runtimeRightsTable } from './rbac.ts';
import { specTable } from './spec.ts';
import { syncRefusalTable } from './sync.ts';
import { code, table } from './table.ts';
import { valuesTable } from './values.ts';

const root = resolve(import.meta.dirname, '../..');

/** The tables by the name that stands in their mark. */
const TABLES: Readonly<Record<string, () => string>> = {
  'flags of devices': () => flagTable(devicesFlags),
  'metrics of devices': () => metricTable('devices'),
  'guards of devices': guardTable,
  'flags of lvm': () => flagTable(lvmFlags),
  'metrics of lvm': () => metricTable('lvm'),
  'options of lvm': optionTable,
  'refusals of lvm': refusalTable,
  'fsOpts of lvm': fsOptsTable,
  'mountOpts of lvm': mountOptsTable,
  'refused fsOpts of lvm': () => notAllowedTable('mkfsRefused'),
  'refused mountOpts of lvm': () => notAllowedTable('mountRefused'),
  'flags of pool': () => flagTable(poolFlags),
  'metrics of pool': () => metricTable('pool'),
  'spec of pool': () => specTable(pvPoolResource),
  'flags of storage-agent': () => flagTable(agentFlags),
  'metrics of storage-agent': () => metricTable('storage-agent'),
  'flags of sync': () => flagTable(syncFlags),
  'metrics of sync': () => metricTable('sync'),
  'spec of sync': () => specTable(persistentVolumeSyncResource),
  'refusals of sync': syncRefusalTable,
  'flags of topology': () => flagTable(topologyFlags),
  'metrics of topology': () => metricTable('topology'),
  'codes of topology': () => codeTable('topology'),
  'codes of devices': () => codeTable('devices'),
  'codes of lvm': () => codeTable('lvm'),
  'codes of pool': () => codeTable('pool'),
  'codes of sync': () => codeTable('sync'),
  'metrics of the kit': kitMetricTable,
  'metrics of the process': processMetricTable,
  'events of topology': () => eventTable('topology'),
  'events of devices': () => eventTable('devices'),
  'events of lvm': () => eventTable('lvm'),
  'events of pool': () => eventTable('pool'),
  'events of sync': () => eventTable('sync'),
  'rights of topology': () => rightsTable('topology'),
  'rights of devices': () => rightsTable('devices'),
  'rights of lvm': () => rightsTable('lvm'),
  'rights of pool': () => rightsTable('pool'),
  'rights of sync': () => rightsTable('sync'),
  'rights of console': () => rightsTable('console'),
  'rights of the runtime': runtimeRightsTable,
  'admission policies': policyTable,
  kinds: kindTable,
  'rules of kinds': objectRuleTable,
  'spec of PvPool': () => fieldTable('PvPool', 'spec'),
  'status of PvPool': () => fieldTable('PvPool', 'status'),
  'spec of PersistentVolumeSync': () => fieldTable('PersistentVolumeSync', 'spec'),
  'status of PersistentVolumeSync': () => fieldTable('PersistentVolumeSync', 'status'),
  'variables of flags': flagVariableTable,
  'variables of sync': syncVariableTable,
  'other variables': otherVariableTable,
  'benchmark groups': benchmarkGroupTable,
  'all benchmarks': benchmarkTable,
  'costs at scale': scaleTable,
  'all commands': commandTable,
  'flags of all commands': commandSections,
  'exit codes': exitCodeTable,
  'values of holdfast': () => valuesTable('charts/holdfast'),
  'values of local-volumes': () => valuesTable('charts/holdfast/charts/local-volumes'),
};

export const TABLE_NAMES = Object.keys(TABLES);

/** The pages that have such tables. */
export const PAGES: readonly string[] = [
  'charts/holdfast/README.md',
  'docs/benchmarks.md',
  'docs/command-line.md',
  'docs/devices.md',
  'docs/lvm.md',
  'docs/lvm-options.md',
  'docs/pool.md',
  'docs/scale.md',
  'docs/reference/command-line.md',
  'docs/reference/custom-resources.md',
  'docs/reference/environment.md',
  'docs/reference/errors.md',
  'docs/reference/events.md',
  'docs/reference/metrics.md',
  'docs/reference/rights.md',
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

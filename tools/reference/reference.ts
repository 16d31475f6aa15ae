/**
 * Tables of reference, made from the code: `node tools/reference/write.ts` puts them into the pages, between two marks, and a test
 * keeps them true.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Registry } from 'prom-client';
import type { Flag } from '../../src/commands/flags/flag.ts';
import { flags as topologyFlags } from '../../src/commands/topology/topology.ts';
import { topologyMetrics } from '../../src/topology/metrics.ts';
import { Standings } from '../../src/topology/standings.ts';

const root = resolve(import.meta.dirname, '../..');

/** The tables by the name that stands in their mark. */
const TABLES: Readonly<Record<string, () => string>> = {
  'flags of topology': () => flagTable(topologyFlags),
  'metrics of topology': () => metricTable((registry) => topologyMetrics(registry, new Standings())),
};

/** The pages that have such tables. */
export const PAGES = ['docs/topology.md'];

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
  const rows = registry.getMetricsAsArray().map((metric) => {
    const { labelNames = [] } = metric as { readonly labelNames?: readonly string[] };
    return [code(metric.name), String(metric.type), labelNames.join(', '), metric.help.replace(/\.$/, '')];
  });
  return table(['metric', 'type', 'labels', 'what'], rows);
}

/** A bar inside of a cell would end it. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`.replaceAll('  |', ' |');
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}

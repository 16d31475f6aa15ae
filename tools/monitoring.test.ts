/** Every query of the alerts and of the dashboard asks for metrics, and labels of them, that there are in the code; and every alert has its runbook. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { devicesMetrics } from '../src/devices/metrics.ts';
import { Standings as DeviceStandings } from '../src/devices/standings.ts';
import { Metrics } from '../src/kit/observe/metrics.ts';
import { lvmMetrics } from '../src/lvm/metrics.ts';
import { Standings as LvmStandings } from '../src/lvm/standings.ts';
import { poolMetrics } from '../src/pool/metrics.ts';
import { syncMetrics } from '../src/sync/metrics.ts';
import { topologyMetrics } from '../src/topology/metrics.ts';
import { Standings as TopologyStandings } from '../src/topology/standings.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The labels that each metric has. */
function labelsOfMetrics(): ReadonlyMap<string, readonly string[]> {
  const metrics = new Metrics();
  metrics.countProcess();
  const { registry } = metrics;
  topologyMetrics(registry, new TopologyStandings());
  devicesMetrics(registry, new DeviceStandings(), 'node-1');
  lvmMetrics(registry, new LvmStandings());
  poolMetrics(registry);
  syncMetrics(registry, () => 0);
  return new Map(registry.getMetricsAsArray().map((metric) => [metric.name, labelNamesOf(metric)]));
}

/** Kept by prom-client, and not in its types. */
const labelNamesOf = (metric: object): readonly string[] =>
  'labelNames' in metric ? (metric.labelNames as string[]) : [];

/** What Prometheus adds to everything that it reads, and the metrics that it makes by itself. */
const OF_PROMETHEUS = ['job', 'instance', 'le'];
const BY_PROMETHEUS = new Map([['up', []]]);

interface Query {
  readonly of: string;
  readonly expr: string;
}

const METRIC = /(?<![\w"$.])([a-z][a-z0-9]*(?:_[a-z0-9]+)+|up)\b(?!\s*\()/g;
const withoutTexts = (expr: string): string => expr.replace(/"[^"]*"/g, '""');
const withoutLabels = (expr: string): string =>
  withoutTexts(expr)
    .replace(/\{[^}]*\}/g, '')
    .replace(/\b(by|without|on|ignoring) \([^)]*\)/g, '')
    .replace(/\[[^\]]*\]/g, '');

const metricsIn = (expr: string): readonly string[] =>
  [...withoutLabels(expr).matchAll(METRIC)].map(([, name = '']) => name.replace(/_(bucket|sum|count)$/, ''));

function labelsIn(expr: string): readonly string[] {
  const text = withoutTexts(expr);
  const grouped = [...text.matchAll(/\b(?:by|without|on|ignoring) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const matched = [...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*""/g)].map(([, label = '']) => label);
  return [...grouped, ...matched].map((label) => label.trim());
}

const alerts: readonly { alert: string; expr: string; job: string; for: string; severity: string }[] = parse(
  read('charts/holdfast/files/alerts.yaml'),
);
const ofSync = [...read('charts/holdfast/templates/sync.yaml').matchAll(/- alert: (\w+)\n\s+expr: (.+)$/gm)].map(
  ([, alert = '', expr = '']) => ({ alert, expr: expr.replace(/\{\{.*\}\}/, '900') }),
);
const dashboard: { panels: { title: string; type: string; targets?: { expr: string }[] }[] } = JSON.parse(
  read('charts/holdfast/files/dashboard.json'),
);
const queries: readonly Query[] = [
  ...[...alerts, ...ofSync].map(({ alert, expr }) => ({ of: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
];

const known = new Map([...labelsOfMetrics(), ...BY_PROMETHEUS]);

test('there are queries, and each asks for something', () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(ofSync).toHaveLength(4);
  expect(queries.length).toBeGreaterThan(40);
  expect(metricsIn('sum by (vg) (rate(a_b_bucket{c_d="e_f"}[5m])) / c_d > 0.5')).toEqual(['a_b', 'c_d']);
  expect(labelsIn('sum by (vg, le) (a_b{x=~"y"})')).toEqual(['vg', 'le', 'x']);
});

describe.each(queries)('$of', ({ expr }) => {
  test('asks for metrics that the code has', () => {
    const metrics = metricsIn(expr);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !known.has(name))).toEqual([]);
  });

  test('goes by labels that they have', () => {
    const has = new Set([...OF_PROMETHEUS, ...metricsIn(expr).flatMap((name) => known.get(name) ?? [])]);
    expect(labelsIn(expr).filter((label) => !has.has(label))).toEqual([]);
  });
});

test('of each job it is told when it is gone, which no other alert tells, and of sync at once to a person', () => {
  const gone = alerts.filter(({ alert }) => alert === 'HoldfastGone');
  expect(gone.map(({ job, expr, for: time, severity }) => [job, expr, time, severity])).toEqual(
    ['topology', 'devices', 'lvm', 'pool', 'sync'].map((job) => [
      job,
      `absent(up{job="holdfast-${job}"})`,
      '10m',
      job === 'sync' ? 'critical' : 'warning',
    ]),
  );
});

test('each alert has its runbook, which says what it means and what to do, and there is no runbook without its alert', () => {
  const names = [...new Set([...alerts, ...ofSync].map(({ alert }) => alert))];
  for (const name of names) {
    const page = `docs/runbooks/${name}.md`;
    expect([page, existsSync(join(root, page))]).toEqual([page, true]);
    expect(read(page)).toMatch(new RegExp(`^# ${name}\n.*^## What it means.*^## Look.*^## Do`, 'ms'));
  }
  const pages = globSync('docs/runbooks/Holdfast*.md', { cwd: root }).map((page) => basename(page, '.md'));
  expect(pages.toSorted()).toEqual(names.toSorted());
});

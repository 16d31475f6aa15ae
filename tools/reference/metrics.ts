/** The metrics of each job and of the kit, from a registry that they were put into. */
import { Registry } from 'prom-client';
import { agentMetrics } from '../../src/agent/metrics.ts';
import { devicesMetrics } from '../../src/devices/metrics.ts';
import { Standings as DevicesStandings } from '../../src/devices/standings.ts';
import { Metrics } from '../../src/kit/observe/metrics.ts';
import { lvmMetrics } from '../../src/lvm/metrics.ts';
import { Standings as LvmStandings } from '../../src/lvm/standings.ts';
import { poolMetrics } from '../../src/pool/metrics.ts';
import { syncMetrics } from '../../src/sync/metrics.ts';
import { topologyMetrics } from '../../src/topology/metrics.ts';
import { Standings as TopologyStandings } from '../../src/topology/standings.ts';
import { code, table } from './table.ts';

const REGISTERED: Readonly<Record<string, (registry: Registry) => unknown>> = {
  topology: (registry) => topologyMetrics(registry, new TopologyStandings()),
  devices: (registry) => devicesMetrics(registry, new DevicesStandings(), 'node'),
  lvm: (registry) => lvmMetrics(registry, new LvmStandings()),
  pool: poolMetrics,
  'storage-agent': agentMetrics,
  sync: (registry) => syncMetrics(registry, () => 0),
};

export function metricTable(of: string): string {
  const register = REGISTERED[of];
  if (!register) throw new Error(`nobody has the metrics of ${of}`);
  const registry = new Registry();
  register(registry);
  return tableOf(registry, (name) => !isOfTheProcess(name));
}

/** What every process of a job has besides its own. */
export const kitMetricTable = (): string => tableOf(new Metrics().registry, (name) => !isOfTheProcess(name));

export function processMetricTable(): string {
  const metrics = new Metrics();
  metrics.countProcess();
  return tableOf(metrics.registry, isOfTheProcess);
}

const isOfTheProcess = (name: string): boolean => /^(nodejs|process)_/.test(name);

const tableOf = (registry: Registry, isWanted: (name: string) => boolean): string =>
  table(
    ['metric', 'type', 'labels', 'what'],
    registry
      .getMetricsAsArray()
      .filter(({ name }) => isWanted(name))
      .map((metric) => {
        const { labelNames = [] } = metric as { readonly labelNames?: readonly string[] };
        const what = metric.help.replace(/\.$/, '').replaceAll('|', '\\|');
        return [code(metric.name), String(metric.type), labelNames.join(', '), what];
      }),
  );

/**
 * What an agent would do on this machine, found out without one: the cluster and every device are looked at once, by what an agent with
 * `--dry-run` looks with, and nothing is written anywhere.
 */
import { Registry } from 'prom-client';
import { approvalsIn } from '../../devices/approvals.ts';
import { begin } from '../../devices/begin.ts';
import { type DevicesSettings, RESCAN_MS } from '../../devices/contract.ts';
import { Inventory, type Stock } from '../../devices/inventory.ts';
import { devicesMetrics } from '../../devices/metrics.ts';
import { type NodeReport, reportOn } from '../../devices/node-report.ts';
import { Report } from '../../devices/report.ts';
import { Disagreements } from '../../devices/seen.ts';
import { Standings } from '../../devices/standings.ts';
import { type DevicesViews, devicesViews } from '../../devices/views.ts';
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { Refuse, Retry } from '../../kit/controller/outcome.ts';
import type { Host } from '../../kit/host/host.ts';
import type { WriteGate } from '../../kit/kube/caller.ts';
import { type Log, silentLog } from '../../kit/observe/log.ts';
import type { Visitor } from '../visit.ts';

export interface HereOptions extends Pick<DevicesSettings, 'node' | 'namespace' | 'stateDir' | 'trustInit'> {
  readonly defaultConfigMap: string | undefined;
  readonly version: string;
  /** How far it is. */
  readonly tell: (line: string) => void;
  /** What the person should know besides. */
  readonly warn: (line: string) => void;
}

/** Devices are only read a little: as many at a time as an agent would wipe at most. */
export const AT_ONCE = 64;
const clock = systemClock;

/** No write is to come to it; if one did, this would be the end of it. */
const noWrites: WriteGate = {
  check() {
    throw new Error('a plan does not write');
  },
};

export async function reportHere(visitor: Visitor, host: Host, options: HereOptions): Promise<NodeReport> {
  const { signal } = visitor;
  const client = visitor.client.gatedBy(noWrites);
  const settings = settingsOf(options);
  const snapshot = new Snapshot();
  const views = devicesViews(snapshot, settings.node, settings.namespace);
  await snapshot.fill(client, { signal }, options.tell);
  const own = views.nodes.get(settings.node);
  if (!own)
    throw new Error(`the cluster has no node ${settings.node}: --node-name has to be as kubectl get nodes shows it`);
  const standings = new Standings();
  const report = quietReport(standings, { name: settings.node, uid: own.uid });
  const inventory = await lookedThrough({ host, views, settings, report, signal });
  const { stock } = inventory;
  for (const warning of warningsOn(stock)) options.warn(warning);
  const approvals = approvalsIn(own.approvals, (fault) =>
    options.warn(`the approvals on the Node cannot be read, and none of them counts: ${fault}`),
  );
  const { reconcile } = await begin({
    host,
    clock,
    log: await ledgerLog(host, options),
    client,
    settings,
    approvals: () => approvals,
    views,
    inventory,
    disagreements: new Disagreements(views),
    report,
    signal,
    clusterIsUnknown: ({ detail }) => options.warn(`${detail}; a device of another cluster is not told from ours`),
  });
  const names = new Set([...views.volumes.keys(), ...(stock?.byVolume.keys() ?? [])]);
  let done = 0;
  const looks = [...names].map(async (name) => {
    await unlessRefused(reconcile(name, { signal, clock, log: silentLog }));
    options.tell(`${++done} of ${names.size} devices looked at`);
  });
  await Promise.all(looks);
  const { node, version } = options;
  // As an agent that does what it plans would write it.
  return reportOn(stock, standings.values(), { node, at: clock.now().toISOString(), version, isDryRun: false });
}

/** Nothing is wiped, and nothing is looked at twice: how fast and how often is all the same. */
const settingsOf = ({ node, namespace, defaultConfigMap, stateDir, trustInit }: HereOptions): DevicesSettings => ({
  node,
  namespace,
  defaultConfigMap,
  stateDir,
  trustInit,
  pollingMs: RESCAN_MS,
  wipesAtOnce: AT_ONCE,
  dryRun: true,
});

/** What an agent would tell in Events, metrics and the log is in the plan. */
function quietReport(standings: Standings, node: { readonly name: string; readonly uid: string }): Report {
  const metrics = devicesMetrics(new Registry(), standings, node.name);
  return new Report({ recorder: { record: () => {} }, metrics, standings, log: silentLog, clock, node: () => node });
}

interface Looking {
  readonly host: Host;
  readonly views: DevicesViews;
  readonly settings: DevicesSettings;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** After its first look at the device directory, which is its last. */
async function lookedThrough({ host, views, settings, report, signal }: Looking): Promise<Inventory> {
  const looked = new AbortController();
  const onLook = (stock: Stock) => {
    report.looked(stock);
    looked.abort();
  };
  const inventory = new Inventory({ host, clock, log: silentLog, views, settings, onLook });
  await inventory.run(AbortSignal.any([signal, looked.signal]));
  signal.throwIfAborted();
  return inventory;
}

const warningsOn = (stock: Stock | undefined): readonly string[] =>
  stock?.configuration.is === 'given' ? stock.configuration.warnings : [];

/** What is wrong with what an agent has kept is for the person to know. */
async function ledgerLog({ files }: Host, { stateDir, warn }: HereOptions): Promise<Log> {
  if (!(await files.lstat(stateDir)))
    warn(`there is no directory ${stateDir} here: what an agent has kept elsewhere is named by --state-dir`);
  return { ...silentLog, error: (_: unknown, message?: string) => warn(`${stateDir}: ${message}`) };
}

/** What is refused, or fails, stands in the report. */
async function unlessRefused(look: Promise<unknown>): Promise<void> {
  try {
    await look;
  } catch (error) {
    if (!(error instanceof Refuse || error instanceof Retry)) throw error;
  }
}

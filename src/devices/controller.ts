/** Turns the raw disks of one node into volumes and wipes them between owners. Reads its Node, ConfigMap and volumes; writes volumes. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import type { Controller } from '../kit/controller/controller.ts';
import type { Outcome } from '../kit/controller/outcome.ts';
import { each, every, type Source } from '../kit/controller/sources.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import type { Host } from '../kit/host/host.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { Reporter } from '../kit/reports/reporter.ts';
import { type Approvals, approvalsIn } from './approvals.ts';
import { begin } from './begin.ts';
import { type DevicesSettings, FIELD_MANAGER, REPORTER, RESCAN_MS } from './contract.ts';
import { Inventory } from './inventory.ts';
import { devicesMetrics } from './metrics.ts';
import { devicesReports, type NodeReport, reportOn } from './node-report.ts';
import { Report } from './report.ts';
import { Disagreements } from './seen.ts';
import { Standings } from './standings.ts';
import { type DevicesViews, devicesViews } from './views.ts';

/** Events are writes, too: a dry run tells them to the log only. */
const silence = { record: () => {} };

/** Most of them wait for a slot, or for a wipe. */
const CONCURRENCY = 256;

export function devices(
  parts: ProgramParts,
  settings: DevicesSettings,
  host: Host,
  version: string,
): readonly Runnable[] {
  return [new DevicesOfNode(parts, settings, host, version)];
}

/** All that runs for the devices of a node. They begin together, after what was remembered has been read. */
class DevicesOfNode implements Runnable {
  readonly name = 'the devices of this node';
  readonly #parts: ProgramParts;
  readonly #settings: DevicesSettings;
  readonly #host: Host;
  readonly #views: DevicesViews;
  readonly #standings = new Standings();
  readonly #report: Report;
  readonly #inventory: Inventory;
  readonly #disagreements: Disagreements;
  readonly #controller: Controller;
  readonly #reporter: Reporter;
  #reconcile: (name: string, context: ReconcileContext) => Promise<Outcome> = () =>
    Promise.reject(new Error('not begun'));

  constructor(parts: ProgramParts, settings: DevicesSettings, host: Host, version: string) {
    const { caches, controller, client, clock, log, events, metrics } = parts;
    this.#parts = parts;
    this.#settings = settings;
    this.#host = host;
    this.#views = devicesViews(caches, settings.node, settings.namespace);
    this.#report = new Report({
      recorder: settings.dryRun ? silence : events.recorder(REPORTER),
      metrics: devicesMetrics(metrics.registry, this.#standings, settings.node),
      standings: this.#standings,
      log,
      clock,
      node: () => this.#node(),
    });
    const onLook = this.#report.looked.bind(this.#report);
    this.#inventory = new Inventory({ host, clock, log, views: this.#views, settings, onLook });
    this.#disagreements = new Disagreements(this.#views);
    this.#controller = controller({
      name: 'devices',
      concurrency: CONCURRENCY,
      deadlineMs: Number.POSITIVE_INFINITY,
      sources: this.#sources(),
      reconcile: (name, context) => this.#reconcile(name, context),
    });
    this.#reporter = new Reporter({
      job: devicesReports.job,
      clock,
      log,
      subscribe: (listener) => this.#standings.subscribe(listener),
      write: (signal) => {
        const map = devicesReports.mapOf(this.#compose(version), settings.namespace);
        return client.apply(CONFIG_MAPS, map, { fieldManager: FIELD_MANAGER, force: true, signal });
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, client } = this.#parts;
    const { reconcile, taken, stopping } = await begin({
      host: this.#host,
      clock,
      log,
      client,
      settings: this.#settings,
      approvals: () => this.#approvals(),
      views: this.#views,
      inventory: this.#inventory,
      disagreements: this.#disagreements,
      report: this.#report,
      signal,
      clusterIsUnknown: ({ message: why }) =>
        log.warn({ why }, 'which cluster this is cannot be read: a device of another cluster is not told from ours'),
    });
    this.#reconcile = reconcile;
    await Promise.all([this.#inventory, this.#controller, this.#reporter].map((each) => each.run(stopping)));
    taken.throwIfAborted();
  }

  #sources(): readonly Source[] {
    const { clock } = this.#parts;
    const { volumes } = this.#views;
    const all = () => new Set([...volumes.keys(), ...(this.#inventory.stock?.byVolume.keys() ?? [])]);
    return [each(volumes), this.#inventory.source, this.#whenSettingsAgree, every(RESCAN_MS, clock, all)];
  }

  /** One volume that was made with other settings keeps all others from being made. */
  readonly #whenSettingsAgree: Source = (add) => {
    let before: string | undefined;
    return this.#views.volumes.subscribe(() => {
      const { stock } = this.#inventory;
      const now = stock && this.#disagreements.first(stock)?.volume;
      if (now !== before) for (const key of stock?.byVolume.keys() ?? []) add(key);
      before = now;
    });
  };

  #node() {
    const { node: name } = this.#settings;
    const uid = this.#views.nodes.get(name)?.uid;
    return uid === undefined ? undefined : { name, uid };
  }

  #approvals(): Approvals {
    const { approvals } = this.#views.nodes.get(this.#settings.node) ?? {};
    return approvalsIn(approvals, (fault) => this.#report.approvalsAreWrong(fault));
  }

  #compose(version: string): NodeReport {
    const { node, dryRun: isDryRun } = this.#settings;
    const at = this.#parts.clock.now().toISOString();
    return reportOn(this.#inventory.stock, this.#standings.values(), { node, at, version, isDryRun });
  }
}

/** Makes logical volumes of the declared volumes of one node. Reads volumes, its Node and the defaults; writes volumes, and a report. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { clusterUid } from '../api/namespaces.ts';
import { buildInfo } from '../kit/build-info.ts';
import type { View } from '../kit/cache/store.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Controller } from '../kit/controller/controller.ts';
import type { Outcome } from '../kit/controller/outcome.ts';
import type { Source } from '../kit/controller/sources.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { semanticallyEqual } from '../kit/equality.ts';
import { countedCommands } from '../kit/host/counted-commands.ts';
import type { Host } from '../kit/host/host.ts';
import { type ApiError, allowed } from '../kit/kube/api-error.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import type { Runnable } from '../kit/manager/stage.ts';
import { Reporter } from '../kit/reports/reporter.ts';
import { FIELD_MANAGER, type LvmSettings, REPORTER, UNKNOWN_CLUSTER } from './contract.ts';
import { Groups } from './groups.ts';
import { Housekeeping } from './housekeeping.ts';
import { KeyRing } from './key-ring.ts';
import type { Viewpoint } from './look.ts';
import { lvmMetrics } from './metrics.ts';
import { lvmReports, type NodeReport, reportedVolumes } from './node-report.ts';
import { RealMachine } from './real-machine.ts';
import { reconciler } from './reconcile.ts';
import { Report } from './report.ts';
import { Standings } from './standings.ts';
import { type LvmViews, lvmViews } from './views.ts';
import { isReasonToLook, type Volume } from './volume.ts';
import { Writes } from './writes.ts';

/** All volumes of a node look at it together, and most of them only wait. */
const CONCURRENCY = 512;
/** A disk may take its time over mkfs; shredding has none that could be told. */
const DEADLINE_MS = Number.POSITIVE_INFINITY;

export function lvm(parts: ProgramParts, settings: LvmSettings, host: Host, viewpoint: Viewpoint): readonly Runnable[] {
  return [new VolumesOfNode(parts, settings, host, viewpoint)];
}

class VolumesOfNode implements Runnable {
  readonly name = 'the volumes of this node';
  readonly #parts: ProgramParts;
  readonly #settings: LvmSettings;
  readonly #host: Host;
  readonly #viewpoint: Viewpoint;
  readonly #views: LvmViews;
  readonly #controller: Controller;
  readonly #standings = new Standings();
  readonly #keyRing: KeyRing;
  readonly #writes: Writes;
  #reconcile: (name: string, context: ReconcileContext) => Promise<Outcome> = () =>
    Promise.reject(new Error('not begun'));

  constructor(parts: ProgramParts, settings: LvmSettings, host: Host, viewpoint: Viewpoint) {
    const { caches, client, controller, clock, log } = parts;
    this.#parts = parts;
    this.#settings = settings;
    this.#host = host;
    this.#viewpoint = viewpoint;
    this.#views = lvmViews(caches, settings);
    this.#keyRing = new KeyRing({ client, clock, log, exists: (name) => this.#views.volumes.get(name) !== undefined });
    this.#writes = new Writes(client);
    this.#controller = controller({
      name: 'lvm',
      concurrency: CONCURRENCY,
      deadlineMs: DEADLINE_MS,
      sources: [
        whenAskedAnew(this.#views.volumes, this.#writes),
        whenAnything(this.#views.nodes, this.#views.volumes),
        whenAnything(this.#views.defaults, this.#views.volumes),
        allAtOnce(settings.resyncMs, clock, this.#views.volumes),
        this.#keyRing.changes,
      ],
      reconcile: (name, context) => this.#reconcile(name, context),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, clusterNow, log, events, metrics } = this.#parts;
    const counted = lvmMetrics(metrics.registry, this.#standings);
    const recorder = events.recorder(REPORTER);
    const groups = new Groups({
      metrics: counted,
      recorder,
      limits: this.#settings.thinLimits,
      node: () => this.#views.nodes.get(this.#settings.node),
    });
    const cluster = await this.#cluster(signal);
    const machine = new RealMachine({
      host: { ...this.#host, ...countedCommands(this.#host, counted.ran) },
      viewpoint: this.#viewpoint,
      clock,
      log,
      client,
      cluster: cluster || UNKNOWN_CLUSTER,
      keyRing: this.#keyRing,
      saw: (lvm) => groups.saw(lvm),
      couldNotLook: (why) => groups.couldNotLook(why),
    });
    this.#reconcile = reconciler({
      views: this.#views,
      settings: this.#settings,
      machine,
      writes: this.#writes,
      clock,
      report: new Report({
        recorder,
        metrics: counted,
        standings: this.#standings,
        log,
        clock,
        node: this.#settings.node,
      }),
    });
    const housekeeping = new Housekeeping({
      views: this.#views,
      live: (all) => this.#writes.all(all),
      settings: this.#settings,
      machine,
      cluster,
      metrics: counted,
      recorder,
      log,
      clock,
      clusterNow,
    });
    await Promise.all(
      [this.#controller, this.#reporter(groups), housekeeping, this.#keyRing].map((each) => each.run(signal)),
    );
  }

  /** Empty without the right to know it: then what is in the trash, and what has no volume, is taken for that of another cluster. */
  async #cluster(signal: AbortSignal): Promise<string> {
    const { client, log } = this.#parts;
    const complain = ({ message }: ApiError) =>
      log.warn({ why: message }, 'which cluster this is cannot be read: the trash is not emptied');
    return (await allowed(clusterUid(client, signal), complain)) ?? '';
  }

  #reporter(groups: Groups): Reporter {
    const { client, clock, log } = this.#parts;
    return new Reporter({
      job: lvmReports.job,
      clock,
      log,
      subscribe: (listener) => {
        const stops = [this.#standings.subscribe(listener), groups.subscribe(listener)];
        return () => {
          for (const stop of stops) stop();
        };
      },
      write: (signal) => {
        const map = lvmReports.mapOf(this.#composed(groups), this.#settings.namespace);
        return client.apply(CONFIG_MAPS, map, { fieldManager: FIELD_MANAGER, force: true, signal });
      },
    });
  }

  #composed(groups: Groups): NodeReport {
    return {
      node: this.#settings.node,
      at: this.#parts.clock.now().toISOString(),
      version: buildInfo().version,
      unseen: groups.unseen,
      groups: groups.values(),
      volumes: reportedVolumes(this.#standings.values()),
      leftOut: 0,
    };
  }
}

/** Every volume, and then each that others have changed in a way that may ask for something: see `isReasonToLook`. */
const whenAskedAnew =
  (volumes: View<Volume>, writes: Writes): Source =>
  (add) => {
    for (const key of volumes.keys()) add(key);
    return volumes.subscribe(({ key, before, after }) => {
      if (!before || !after || isReasonToLook(before, after, writes.between(before, after))) add(key);
      if (!after) writes.forget(key);
    });
  };

/** A change of what concerns all of them. */
const whenAnything =
  <P>(view: View<P>, volumes: View<Volume>): Source =>
  (add) =>
    view.subscribe(({ before, after }) => {
      if (semanticallyEqual(before, after)) return;
      for (const key of volumes.keys()) add(key);
    });

/** They look together, so that all at once cost as much as one. */
const allAtOnce =
  (ms: number, clock: Clock, volumes: View<Volume>): Source =>
  (add) => {
    let cancel = clock.after(ms, tick);
    return () => cancel();

    function tick(): void {
      cancel = clock.after(ms, tick);
      for (const key of volumes.keys()) add(key);
    }
  };

/** For tests: one life of the agent's process on a simulated node, from its start until it ends or is killed. */
import { FilledViews } from '../api/filled-views.ts';
import { type SimulatedCluster, transportOf } from '../api/simulated-cluster.ts';
import type { Caches } from '../kit/cache/caches.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { Controller } from '../kit/controller/controller.ts';
import type { SimulatedHost } from '../kit/host/simulated/host.ts';
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { Transport } from '../kit/kube/transport.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import { Events } from '../kit/observe/events.ts';
import { Metrics } from '../kit/observe/metrics.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import type { LvmSettings } from './contract.ts';
import { lvm } from './controller.ts';

export interface AgentParts {
  readonly machine: SimulatedMachine;
  readonly cluster: SimulatedCluster;
  readonly clock: Clock;
  readonly settings: LvmSettings;
  /** Whether systemd mounts volumes. */
  readonly makesUnits: boolean;
}

/** How long a change takes to be seen by who watches. */
const WATCH_MS = 15;

export class SimulatedAgent {
  readonly host: SimulatedHost;
  readonly log = new RecordingLog();
  readonly #stop = new AbortController();
  readonly #views = new FilledViews();
  #isAlive = true;

  constructor({ machine, cluster, clock, settings, makesUnits }: AgentParts) {
    const host = machine.host();
    this.host = host;
    const random = () => 0.5;
    const metrics = new Metrics();
    const client = new KubeClient({ transport: exceptReports(transportOf(host, cluster)), clock, random });
    const told = new KubeClient({ transport: heard, clock, random });
    const { log } = this;
    const parts: ProgramParts = {
      client,
      caches: this.#views as Pick<Caches, 'view'> as Caches,
      events: new Events({ client: told, clock, random, log, instance: 'one', metrics: metrics.events }),
      metrics,
      log,
      clock,
      random,
      controller: (controller) => new Controller(controller, { clock, random, log }),
    };
    const jobs = lvm(parts, settings, host, { root: '', makesUnits });
    const stopWatching = this.#watch(cluster, clock);
    const ends = () => {
      this.#isAlive = false;
      stopWatching();
      this.#stop.abort(new Error('the process ends'));
    };
    host.process.onDeath(ends);
    for (const job of jobs) job.run(this.#stop.signal).catch(() => host.process.kill());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  kill(): void {
    this.host.process.kill();
  }

  #watch(cluster: SimulatedCluster, clock: Clock): () => void {
    this.#views.fill(cluster);
    let cancel: (() => void) | undefined;
    const stop = cluster.onChange(() => {
      cancel ??= clock.after(WATCH_MS, () => {
        cancel = undefined;
        this.#views.fill(cluster);
      });
    });
    return () => {
      stop();
      cancel?.();
    };
  }
}

/** Takes every Event, and every report for people. What becomes of those is tried elsewhere. */
const heard: Transport = {
  async request() {
    const text = '{"metadata":{"name":"told"}}';
    return { status: 201, header: () => undefined, body: nothing(), text: async () => text };
  },
  async close() {},
};

const exceptReports = (transport: Transport): Transport => ({
  request: (request) => (request.path.includes('/configmaps/') ? heard : transport).request(request),
  close: () => transport.close(),
});

async function* nothing(): AsyncGenerator<Buffer> {}

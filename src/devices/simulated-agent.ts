/** For tests: one life of the agent's process on a simulated node, from its start until it is stopped or killed. */
import { Registry } from 'prom-client';
import { FilledViews } from '../api/filled-views.ts';
import { transportOf } from '../api/simulated-cluster.ts';
import { type Outcome, Refuse } from '../kit/controller/outcome.ts';
import type { SimulatedHost } from '../kit/host/simulated/host.ts';
import { mortalHost } from '../kit/host/simulated/mortal-host.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { approvalsIn } from './approvals.ts';
import { type Begun, begin } from './begin.ts';
import type { DevicesSettings } from './contract.ts';
import { Inventory } from './inventory.ts';
import { devicesMetrics } from './metrics.ts';
import { Report } from './report.ts';
import { Disagreements } from './seen.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Standings } from './standings.ts';
import { type DevicesViews, devicesViews } from './views.ts';

/** How a reconcile ended. */
type Ended = Outcome | { readonly kind: 'failed'; readonly error: Error };

/** Longer than what we wrote may take to be seen, and than a use has to last to be told. */
const BETWEEN_ROUNDS_MS = 11_000;
const MOST_ROUNDS = 30;

export class SimulatedAgent {
  readonly host: SimulatedHost;
  readonly standings = new Standings();
  readonly log = new RecordingLog();
  /** How each key ended when it last had its turn. */
  readonly ended = new Map<string, Ended>();
  /** The watch is silent: the caches stay as they are. */
  isStale = false;
  /** The names of objects that the caches do not show. */
  readonly hidden = new Set<string>();
  readonly #node: SimulatedNode;
  readonly #settings: DevicesSettings;
  readonly #stopping = new AbortController();
  readonly #source = new FilledViews();
  readonly #views: DevicesViews;
  readonly #inventory: Inventory;
  readonly #report: Report;
  #reconcile: Begun['reconcile'] | undefined;
  #isAlive = true;

  constructor(node: SimulatedNode, settings: DevicesSettings) {
    this.#node = node;
    this.#settings = settings;
    this.host = node.machine.host();
    this.host.process.onDeath(() => {
      this.#isAlive = false;
    });
    this.#views = devicesViews(this.#source, settings.node, settings.namespace);
    this.#report = this.#newReport();
    this.#inventory = new Inventory({
      host: mortalHost(this.host),
      clock: node.clock,
      log: this.log,
      views: this.#views,
      settings,
      onLook: (stock) => this.#report.looked(stock),
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  #newReport(): Report {
    const { clock, events } = this.#node;
    const metrics = devicesMetrics(new Registry(), this.standings, this.#settings.node);
    const recorder = { record: (event: (typeof events)[number]) => void events.push(event) };
    const node = () => {
      const uid = this.#views.nodes.get(this.#settings.node)?.uid;
      return uid === undefined ? undefined : { name: this.#settings.node, uid };
    };
    return new Report({ recorder, metrics, standings: this.standings, log: this.log, clock, node });
  }

  /** Rejects with what keeps it from starting. Resolves also when it is killed while it starts. */
  start(): Promise<void> {
    return this.#node.drive(this.#untilDeath(this.#begin()));
  }

  async #begin(): Promise<void> {
    this.refresh();
    const { clock, cluster } = this.#node;
    const host = mortalHost(this.host);
    const client = new KubeClient({ transport: transportOf(this.host, cluster), clock, random: () => 0.5 });
    const { reconcile, stopping } = await begin({
      host,
      clock,
      log: this.log,
      client,
      settings: this.#settings,
      approvals: () => approvalsIn(this.#views.nodes.get(this.#settings.node)?.approvals, () => {}),
      views: this.#views,
      inventory: this.#inventory,
      disagreements: new Disagreements(this.#views),
      report: this.#report,
      signal: this.#stopping.signal,
      clusterIsUnknown: (error) => {
        throw error;
      },
    });
    this.#reconcile = reconcile;
    void this.#inventory.run(stopping);
  }

  /** The caches show what there is now. */
  refresh(): void {
    this.#node.cluster.settle();
    this.#source.fill(this.#node.cluster, this.hidden);
  }

  /** Works on every key until nothing is written any more. Gives back whether it came to that: not if it was killed or cannot stop. */
  async settle(mostRounds = MOST_ROUNDS): Promise<boolean> {
    let quiet = 0;
    for (let round = 0; round < mostRounds && quiet < 2 && this.#isAlive; round++) {
      const before = this.#node.machine.journal.length;
      await this.round();
      await this.#node.clock.advance(BETWEEN_ROUNDS_MS);
      const hasLooked = this.#inventory.stock !== undefined;
      const isQuiet = hasLooked && this.#node.machine.journal.length === before && !this.#hasFailed();
      quiet = isQuiet ? quiet + 1 : 0;
    }
    return quiet === 2 && this.#isAlive;
  }

  /** Something is to be tried again. A refusal is not that: it waits for somebody else. */
  #hasFailed(): boolean {
    return [...this.ended.values()].some((ended) => ended.kind === 'failed' && !(ended.error instanceof Refuse));
  }

  /** Each key has its turn once. */
  round(): Promise<void> {
    return this.#node.drive(this.begin());
  }

  /** The same, without the time that it needs. */
  async begin(): Promise<void> {
    if (!this.isStale) this.refresh();
    await this.#node.clock.advance(0);
    this.ended.clear();
    const keys = new Set([...this.#views.volumes.keys(), ...(this.#inventory.stock?.byVolume.keys() ?? [])]);
    await this.#untilDeath(Promise.all(Array.from(keys, (key) => this.#turn(key))));
  }

  async #turn(key: string): Promise<void> {
    const { clock } = this.#node;
    const { signal } = new AbortController();
    try {
      const outcome = await this.#reconcile?.(key, { signal, clock, log: this.log });
      if (outcome) this.ended.set(key, outcome);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (this.#isAlive) this.#node.noteError(error);
      this.ended.set(key, { kind: 'failed', error });
    }
  }

  /** As by SIGTERM: what has begun may end as it can. */
  stop(): void {
    this.#stopping.abort(new Error('the process ends'));
  }

  kill(): void {
    this.host.process.kill();
  }

  #untilDeath(promise: Promise<unknown>): Promise<void> {
    promise.catch(() => {});
    return Promise.race([promise.then(() => {}), this.host.process.died]);
  }
}

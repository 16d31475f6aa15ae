/** The agent: a store, and the orders that it was given about it. */
import { statfs } from 'node:fs/promises';
import type { Log } from '../kit/observe/log.ts';
import type { AgentState, AgentStatus, DecommissionOrder, Peer, RecommissionOrder } from '../pool-client/protocol.ts';
import { afterDecommission, afterDraining, afterRecommission, type KeptState, type Verdict } from './decide.ts';
import type { DiskStore } from './disk-store.ts';
import type { Drained, Draining, DrainOrder, RemovedEverywhere } from './draining.ts';
import { sizesOf } from './headroom.ts';
import { KeyTurns } from './key-turns.ts';
import type { Layout } from './layout.ts';
import type { StateFile } from './state-file.ts';
import { StoreError, type StoreTotals } from './store.ts';

export interface AgentParts {
  readonly name: string;
  readonly layout: Layout;
  readonly store: DiskStore;
  readonly stateFile: StateFile;
  readonly kept: KeptState;
  readonly log: Log;
  /** Makes the drain, which is told whom to tell when nothing is left. */
  readonly draining: (drained: Drained) => Draining;
}

/** Refuses a blob and says who takes it. */
export class NotTaken extends StoreError {
  readonly peers: readonly Peer[];

  constructor(peers: readonly Peer[]) {
    super('Draining', 'this agent is being drained, or was: it takes no blobs. Ask one of the peers');
    this.peers = peers;
  }
}

export class Agent {
  readonly #parts: AgentParts;
  readonly #draining: Draining;
  readonly #orders = new KeyTurns();
  #kept: KeptState;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#kept = parts.kept;
    this.#draining = parts.draining((calledOff) => this.#drained(calledOff));
    if (parts.kept.state !== 'Ready') this.#draining.begin(orderIn(parts.kept));
  }

  get store(): DiskStore {
    return this.#parts.store;
  }

  /** Until all is counted nobody may take it for empty, whatever it was told. */
  get state(): AgentState {
    return this.#parts.store.isCounted ? this.#kept.state : 'Initializing';
  }

  totals(): StoreTotals {
    return this.#parts.store.totals();
  }

  get uploads(): number {
    return this.#parts.store.uploads;
  }

  async status(): Promise<AgentStatus> {
    const { name, layout, store } = this.#parts;
    const sizes = sizesOf(await statfs(layout.root));
    const { blobs, bytes, corrupt } = store.totals();
    const { generation } = this.#kept;
    const drain = this.#kept.state === 'Ready' ? undefined : this.#draining.status();
    return {
      name,
      ...sizes,
      state: this.state,
      blobs,
      bytes,
      corrupt,
      ...(generation !== undefined && { generation }),
      ...(drain && { drain }),
    };
  }

  /** To be asked right before a blob is taken: whoever is drained by then must not have one come in behind its back. */
  mustTake(): void {
    if (this.#kept.state !== 'Ready') throw new NotTaken(this.#kept.peers);
  }

  decommission(order: DecommissionOrder | undefined): Promise<void> {
    return this.#ordered((kept) => afterDecommission(kept, order));
  }

  recommission(order: RecommissionOrder | undefined): Promise<void> {
    return this.#ordered((kept) => afterRecommission(kept, order));
  }

  /** Also while no drain runs by this: one may begin meanwhile. */
  remove(key: string, signal: AbortSignal, ifMatch?: string): Promise<RemovedEverywhere> {
    return this.#draining.removeEverywhere(key, signal, ifMatch);
  }

  /** Lets what is on its way to others come to an end. The order stays. */
  stop(): Promise<void> {
    return this.#draining.end();
  }

  async #ordered(decide: (kept: KeptState) => Verdict): Promise<void> {
    let ending: Promise<void> | undefined;
    await this.#orders.run('', async () => {
      const verdict = decide(this.#kept);
      if (verdict.is === 'stale') {
        throw new StoreError('Stale', `this agent has followed an order of generation ${verdict.known} since`);
      }
      await this.#keep(verdict.state);
      if (verdict.drain === 'begin') this.#draining.begin(orderIn(verdict.state));
      if (verdict.drain === 'end') ending = this.#draining.end();
    });
    await ending; // not in turn: a drain that has just found nothing left asks for one before it ends
  }

  #drained(calledOff: AbortSignal): Promise<void> {
    return this.#orders.run('', async () => {
      if (!calledOff.aborted) await this.#keep(afterDraining(this.#kept));
    });
  }

  /** On the disk first: what was answered is not forgotten. */
  async #keep(state: KeptState): Promise<void> {
    if (JSON.stringify(state) === JSON.stringify(this.#kept)) return;
    await this.#parts.stateFile.write(state);
    if (state.state !== this.#kept.state) this.#parts.log.info({ ...state }, `the agent is ${state.state}`);
    this.#kept = state;
  }
}

const orderIn = ({ generation = 0, peers, former }: KeptState): DrainOrder => ({ generation, peers, former });

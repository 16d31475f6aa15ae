/** For tests: agents that hold blobs on disks that outlive them, drain as ours do, and can be made to be silent, slow or liars. */
import type { Known } from '../kit/known.ts';
import type { AgentState, AgentStatus, Peer } from '../pool-client/protocol.ts';
import type { Addressee, Order } from './plan.ts';

/** What is on the volume of a claim. */
export class SimulatedDisk {
  readonly blobs = new Map<string, number>();
  /** Of what it is ordered to do; kept over restarts. */
  state: AgentState = 'Ready';
  generation = 0;
  peers: readonly Peer[] = [];
  moved = 0;
  movedBytes = 0;
  since = '';

  get bytes(): number {
    return [...this.blobs.values()].reduce((sum, size) => sum + size, 0);
  }
}

export type Temper =
  | 'honest'
  /** Never answers. */
  | 'silent'
  /** Says that it has nothing, whatever it has. */
  | 'liar'
  /** Says what nobody can read. */
  | 'garbled'
  /** Says that it is Decommissioned, and nothing of blobs, as if it were one of the original. */
  | 'forgetful'
  /** Takes orders, and does nothing. */
  | 'lazy';

export interface RunningAgent {
  readonly name: string;
  readonly disk: SimulatedDisk;
  /** Speaks the two endpoints of the original, and forgets its state when it ends. */
  readonly isOriginal: boolean;
}

const TOTAL = 10_000;
const SILENCE = { known: false, why: 'no answer within 2 s' } as const;

export class SimulatedAgents {
  /** By address. */
  readonly running = new Map<string, RunningAgent>();
  readonly tempers = new Map<SimulatedDisk, Temper>();
  /** Who was ever asked, and with which token. */
  readonly asked = new Set<string>();

  status({ ip, name }: Addressee, token: string): Known<AgentStatus> {
    this.asked.add(`${name} ${token}`);
    const agent = this.running.get(ip);
    const temper = agent ? this.#temperOf(agent) : 'silent';
    if (!agent || temper === 'silent') return SILENCE;
    if (temper === 'garbled') return { known: false, why: 'its answer is not JSON' };
    if (agent.name !== name) return { known: false, why: `${agent.name} answers at its address` };
    return { known: true, value: said(agent, temper) };
  }

  isEmpty({ ip, name }: Addressee): Known<boolean> {
    const agent = this.running.get(ip);
    if (!agent || agent.name !== name || this.#temperOf(agent) === 'silent' || agent.isOriginal) return SILENCE;
    return { known: true, value: agent.disk.blobs.size === 0 };
  }

  order({ ip, name }: Addressee, order: Order, now: Date): Known<'taken'> {
    const agent = this.running.get(ip);
    if (!agent || agent.name !== name || this.#temperOf(agent) === 'silent') return SILENCE;
    const { disk, isOriginal } = agent;
    if (isOriginal && order.kind === 'recommission') return { known: false, why: 'it answers with 404' };
    if (!isOriginal && order.generation < disk.generation) return { known: false, why: 'it answers with 409' };
    const isNew = isOriginal ? disk.state === 'Ready' : order.generation > disk.generation;
    disk.generation = order.generation;
    if (order.kind === 'recommission') {
      disk.state = 'Ready';
      disk.peers = [];
      return TAKEN;
    }
    if (isNew) Object.assign(disk, { state: 'Decommissioning', moved: 0, movedBytes: 0, since: now.toISOString() });
    disk.peers = order.peers;
    return TAKEN;
  }

  /** Gives back whether it was stored. */
  store(ip: string, key: string, size: number): boolean {
    const agent = this.running.get(ip);
    if (agent?.disk.state !== 'Ready' || this.#temperOf(agent) === 'silent') return false;
    agent.disk.blobs.set(key, size);
    return true;
  }

  /** Each agent that drains moves one blob, and looks whether it has any left. */
  work(): void {
    for (const { disk, ...agent } of this.running.values()) {
      if (disk.state !== 'Decommissioning' || this.#temperOf({ disk, ...agent }) === 'lazy') continue;
      const [blob] = disk.blobs;
      if (!blob) disk.state = 'Decommissioned';
      else this.#move(disk, ...blob);
    }
  }

  #move(disk: SimulatedDisk, key: string, size: number): void {
    const taker = disk.peers.find(({ url }) => this.store(new URL(url).hostname, key, size));
    if (!taker) return;
    disk.blobs.delete(key);
    disk.moved += 1;
    disk.movedBytes += size;
  }

  #temperOf({ disk }: RunningAgent): Temper {
    return this.tempers.get(disk) ?? 'honest';
  }
}

const TAKEN = { known: true, value: 'taken' } as const;

function truthOf({ name, disk, isOriginal }: RunningAgent): AgentStatus {
  const common = { name, total: TOTAL, used: disk.bytes, state: disk.state };
  if (isOriginal) return common;
  const drain = {
    since: disk.since,
    movedBlobs: disk.moved,
    movedBytes: disk.movedBytes,
    leftBlobs: disk.blobs.size,
    leftBytes: disk.bytes,
  };
  return {
    ...common,
    blobs: disk.blobs.size,
    bytes: disk.bytes,
    generation: disk.generation,
    corrupt: 0,
    ...(disk.state === 'Decommissioning' && { drain }),
  };
}

function said(agent: RunningAgent, temper: Temper): AgentStatus {
  if (temper === 'liar') return lieOf(agent);
  return temper === 'forgetful'
    ? { ...truthOf({ ...agent, isOriginal: true }), state: 'Decommissioned' }
    : truthOf(agent);
}

/** As far as it can without its listing being found out. */
const lieOf = (agent: RunningAgent): AgentStatus => ({
  ...truthOf(agent),
  state: 'Decommissioned',
  blobs: 0,
  bytes: 0,
  corrupt: 0,
});

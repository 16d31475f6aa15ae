/** etcd of a control plane: one member on a unix socket, nothing synced to disk, reached by its JSON gateway. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent } from 'undici';
import { Component } from './component.ts';
import type { Keeper } from './keeper.ts';

/** etcd's data as they were at one instant. Lives as long as the control plane that it was taken from. */
export interface Snapshot {
  readonly directory: string;
}

/** Relative: the path of a unix socket is bounded, and all components run in the keeper's directory. */
export const ETCD_URL = 'unix://etcd:0';

const DATA = 'etcd-data';

export class Etcd extends Component {
  readonly #directory: string;
  readonly #gateway: Agent;
  #snapshots = 0;

  constructor(keeper: Keeper, binaries: string, flags: readonly string[] = []) {
    const gateway = new Agent({ connect: { socketPath: join(keeper.directory, 'etcd:0') } });
    super(keeper, {
      name: 'etcd',
      program: join(binaries, 'etcd'),
      args: [...ETCD_ARGUMENTS, ...flags],
      ready: async () => (await gateway.request({ origin: ORIGIN, path: '/health', method: 'GET' })).statusCode === 200,
    });
    this.#directory = keeper.directory;
    this.#gateway = gateway;
  }

  /** Takes the data without stopping: what a kill -9 at this instant would leave, all acknowledged writes included. */
  async snapshot(): Promise<Snapshot> {
    const directory = join(this.#directory, `snapshot-${++this.#snapshots}`);
    await this.pause();
    try {
      await cp(join(this.#directory, DATA), directory, { recursive: true });
    } finally {
      await this.resume();
    }
    return { directory };
  }

  /** Puts a snapshot's data in place of its own. Only while it is not running. */
  async load(snapshot: Snapshot): Promise<void> {
    if (this.pid !== undefined) throw new Error('etcd is running: stop it before its data are replaced');
    const data = join(this.#directory, DATA);
    await rm(data, { recursive: true, force: true });
    await cp(snapshot.directory, data, { recursive: true });
  }

  async revision(): Promise<number> {
    const answer = await this.#call<{ header: { revision: string } }>('/v3/kv/range', { key: base64('\0') });
    return Number(answer.header.revision);
  }

  /** Forgets every revision before the present one, at once, and returns the present one. */
  async compact(): Promise<number> {
    const revision = await this.revision();
    await this.#call('/v3/kv/compaction', { revision: String(revision), physical: true });
    return revision;
  }

  async #call<T>(path: string, body: unknown): Promise<T> {
    const options = { origin: ORIGIN, path, method: 'POST', body: JSON.stringify(body) } as const;
    const { statusCode, body: answer } = await this.#gateway.request(options);
    const text = await answer.text();
    if (statusCode !== 200) throw new Error(`etcd answered ${statusCode} to ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
}

/** The gateway looks at the socket only. */
const ORIGIN = 'http://etcd';

const ETCD_ARGUMENTS = [
  ['--data-dir', DATA],
  ['--unsafe-no-fsync'],
  ['--log-level', 'warn'],
  ['--listen-client-urls', ETCD_URL],
  ['--advertise-client-urls', ETCD_URL],
  ['--listen-peer-urls', 'unix://peer:0'],
  ['--initial-advertise-peer-urls', 'unix://peer:0'],
  ['--initial-cluster', 'default=unix://peer:0'],
].flat();

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** What a kubelet would do for the pods of pools: a real storage agent for each, on the pod's loopback address, with its files below the demo's directory. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runAgent } from '../../agent/run.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { claimsOf, PODS, type Pod } from '../../api/pods.ts';
import { SECRETS } from '../../api/secrets.ts';
import { type Clock, systemClock } from '../../kit/clock/clock.ts';
import { silentLog } from '../../kit/observe/log.ts';
import { type Agents, HttpAgents } from '../../pool/agents.ts';
import { POOL_LABEL, TOKEN_KEY } from '../../pool/contract.ts';
import type { Peer } from '../../pool-client/protocol.ts';
import type { DemoSite } from './site.ts';

const MIB = 2 ** 20;

interface Running {
  readonly name: string;
  readonly url: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class DemoAgents implements AsyncDisposable {
  readonly #site: DemoSite;
  readonly #directory: string;
  readonly #port: number;
  /** By the uid of the pod. */
  readonly #running = new Map<string, Running>();
  readonly #stopWatching: () => void;

  private constructor(site: DemoSite, directory: string, port: number) {
    this.#site = site;
    this.#directory = directory;
    this.#port = port;
    this.#stopWatching = site.objects.onChange<Pod>(PODS, ({ type, object }) =>
      this.#podChanges(object, type === 'DELETED'),
    );
  }

  static async open(site: DemoSite, directory: string): Promise<DemoAgents> {
    return new DemoAgents(site, directory, await freePort());
  }

  /** As the operator asks them: at the port that they really have. */
  asked(clock: Clock): Agents {
    const http = new HttpAgents(clock, this.#port);
    return {
      status: (...asked) => http.status(...asked),
      isEmpty: (...asked) => http.isEmpty(...asked),
      order: (to, token, order, signal) =>
        http.order(
          to,
          token,
          'peers' in order ? { ...order, peers: order.peers.map((peer) => this.#at(peer)) } : order,
          signal,
        ),
    };
  }

  get peers(): readonly Peer[] {
    return [...this.#running.values()].map(({ name, url }) => ({ name, url }));
  }

  token(pool: string): string {
    const secret = this.#site.objects.list(SECRETS).find(({ metadata }) => metadata.labels?.[POOL_LABEL] === pool);
    return Buffer.from(secret?.data?.[TOKEN_KEY] ?? '', 'base64').toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching();
    const all = [...this.#running.values()];
    for (const { stop } of all) stop.abort();
    await Promise.allSettled(all.map(({ ended }) => ended));
  }

  #at({ name, url }: Peer): Peer {
    const there = new URL(url);
    there.port = `${this.#port}`;
    return { name, url: there.origin };
  }

  #podChanges(pod: Pod, isGone: boolean): void {
    const { uid = '', labels = {}, deletionTimestamp } = pod.metadata;
    const pool = labels[POOL_LABEL];
    const { podIP } = pod.status ?? {};
    if (pool === undefined || podIP === undefined) return;
    if (isGone || deletionTimestamp) {
      this.#running.get(uid)?.stop.abort();
      this.#running.delete(uid);
      return;
    }
    if (!this.#running.has(uid)) this.#running.set(uid, this.#start(pod, pool, podIP));
  }

  #start(pod: Pod, pool: string, host: string): Running {
    const stop = new AbortController();
    const name = pod.metadata.name ?? '';
    const ended = this.#run(pod, pool, host, stop.signal);
    ended.catch(() => {});
    return { name, url: `http://${host}:${this.#port}`, stop, ended };
  }

  async #run(pod: Pod, pool: string, host: string, stop: AbortSignal): Promise<void> {
    const { name = '', namespace = '' } = pod.metadata;
    const [claim = ''] = claimsOf(pod);
    const uid = this.#site.objects.get(PERSISTENT_VOLUME_CLAIMS, `${namespace}/${claim}`)?.metadata.uid ?? claim;
    const place = join(this.#directory, 'claims', uid);
    await mkdir(place, { recursive: true });
    const tokenFile = join(this.#directory, `${pool}.token`);
    await writeFile(tokenFile, this.token(pool), { mode: 0o600 });
    await runAgent(
      {
        name,
        path: join(place, 'blobs'),
        address: { host, port: this.#port },
        clock: systemClock,
        random: Math.random,
        log: silentLog,
        tokenFile,
        openStatus: false,
        mostConnections: 64,
        mostBytes: 64 * MIB,
      },
      stop,
    );
  }
}

/** One that nobody has at any address. */
async function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

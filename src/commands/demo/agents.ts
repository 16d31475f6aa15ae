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

/** Where an agent is, and of which pool. */
interface Place {
  readonly pool: string;
  readonly host: string;
}

interface Running {
  readonly name: string;
  /** Its uid. */
  readonly claim: string;
  readonly url: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

interface Left {
  readonly name: string;
  /** Whether the operator had seen that it holds nothing. */
  readonly wasEmpty: boolean;
}

export class DemoAgents implements AsyncDisposable {
  readonly #site: DemoSite;
  readonly #directory: string;
  readonly #port: number;
  /** By the uid of the pod. */
  readonly #running = new Map<string, Running>();
  /** Agents that end, by the uid of their claim: the next one waits for its directory. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #stopWatching: () => void;
  /** The uids of pods whose agents the operator was told to be empty. */
  readonly #seenEmpty = new Set<string>();
  readonly #left: Left[] = [];
  #failure: Error | undefined;

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
      isEmpty: async (to, ...asked) => {
        const answer = await http.isEmpty(to, ...asked);
        if (answer.known && answer.value) this.#seenEmpty.add(to.podUid);
        return answer;
      },
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

  /** Those that have gone, in that order. */
  get left(): readonly Left[] {
    return this.#left;
  }

  /** What an agent has died of. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  token(pool: string): string {
    const secret = this.#site.objects.list(SECRETS).find(({ metadata }) => metadata.labels?.[POOL_LABEL] === pool);
    return Buffer.from(secret?.data?.[TOKEN_KEY] ?? '', 'base64').toString();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching();
    const all = [...this.#running.values()];
    for (const { stop } of all) stop.abort();
    await Promise.allSettled([...all.map(({ ended }) => ended), ...this.#ending.values()]);
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
      this.#end(uid);
      return;
    }
    if (!this.#running.has(uid)) this.#running.set(uid, this.#start(pod, pool, podIP));
  }

  #end(pod: string): void {
    const running = this.#running.get(pod);
    if (!running) return;
    running.stop.abort();
    this.#left.push({ name: running.name, wasEmpty: this.#seenEmpty.has(pod) });
    this.#running.delete(pod);
    this.#ending.set(running.claim, running.ended);
  }

  #start(pod: Pod, pool: string, host: string): Running {
    const stop = new AbortController();
    const { name = '', namespace = '' } = pod.metadata;
    const [claimName = ''] = claimsOf(pod);
    const claim = this.#site.objects.get(PERSISTENT_VOLUME_CLAIMS, `${namespace}/${claimName}`)?.metadata.uid ?? '';
    const ended = this.#run({ name, pool, host, claim }, stop.signal);
    ended.catch((error) => {
      this.#failure ??= new Error(`the agent ${name} has died`, { cause: error });
    });
    return { name, claim, url: `http://${host}:${this.#port}`, stop, ended };
  }

  async #run(
    { name, pool, host, claim }: Omit<Running, 'url' | 'stop' | 'ended'> & Place,
    stop: AbortSignal,
  ): Promise<void> {
    await this.#ending.get(claim)?.catch(() => {});
    const place = join(this.#directory, 'claims', claim);
    await mkdir(place, { recursive: true });
    const tokenFile = join(place, 'token');
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

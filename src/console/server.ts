/** The console's HTTP server: the page, and the API that it reads. Bounded in everything that a stranger could use up. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Cancel, Clock } from '../kit/clock/clock.ts';
import { type RateLimit, RateLimiter } from '../kit/kube/rate-limit.ts';
import type { Log } from '../kit/observe/log.ts';
import { visible } from '../kit/visible.ts';
import { type Actions, parseAction } from './actions.ts';
import { answer, bodyOf, decoded, refuse, sendFile, whileAsked } from './answers.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Caller, Door } from './door.ts';
import { type Asked, type Refusal, refusalOf, SECURITY_HEADERS, wrongMethod } from './guard.ts';
import { stream } from './live.ts';
import type { ActionName, Hello } from './model.ts';
import { PerUser } from './per-user.ts';
import { recoveryPlan } from './recovery-plan.ts';
import { keyOf, maySeePodsOf, visibleTo } from './rights.ts';
import type { PageFiles } from './static.ts';
import { storyOf } from './story.ts';
import { followTlsPair, readTlsPair, type TlsFiles, type TlsPair } from './tls.ts';

export interface ConsoleOptions {
  readonly version: string;
  readonly clusters: readonly ConsoleCluster[];
  readonly door: Door;
  readonly clock: Clock;
  readonly log: Log;
  readonly page: PageFiles;
  readonly actions: Actions;
  /** What people may do here. */
  readonly allowed: readonly ActionName[];
  /** Names besides loopback under which it may be reached, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** How long somebody may take to say what they ask for; 5 s if nothing is said. */
  readonly patienceMs?: number;
  /** Where its certificate is, if it speaks HTTPS. */
  readonly tls?: TlsFiles;
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
};
const PATIENCE_MS = 5_000;
/** A handshake that takes longer is none. */
const TLS_LIMITS = { minVersion: 'TLSv1.2', handshakeTimeout: 5_000 } as const;
const MOST_CONNECTIONS = 256;
/** A client that neither reads nor sends for this long is let go. Streams have heartbeats. */
const IDLE_SOCKET_MS = 90_000;
const MOST_STREAMS = 100;
/** Each reads an export and all volumes of the cluster. */
const MOST_PLANS = 4;
/** Of one user, where there are several: so none of them keeps the others out. */
const STREAMS_OF_USER = 8;
const PLANS_OF_USER = 1;
const ASK_AGAIN_S = 2;
/** For the log: nobody reads it. */
const GONE: Refusal = { status: 499, problem: 'They went away before they were answered: nothing was done.' };
/** Whoever is not known learns that a token is wanted, and nothing else. */
const STRANGER: Hello = { version: '', clusters: [], actions: [], wantsToken: true };
/** Attempts of people who are not known, and of other sites, that are told one by one: nobody fills the log by trying. */
const STRANGE_ATTEMPTS: RateLimit = { perSecond: 1, burst: 50 };
const LONGEST_PATH = 200;
/** As long as answers about a token are remembered, and a little more. */
const ASK_AGAIN_MS = 31_000;

export class ConsoleServer implements AsyncDisposable {
  readonly #options: ConsoleOptions;
  readonly #server: Server;
  readonly #streams = new Set<() => void>();
  readonly #streamsOf: PerUser;
  readonly #plansOf: PerUser;
  /** How many are being made. */
  #plans = 0;
  #stopFollowing = () => {};
  readonly #strangeAttempts: RateLimiter;
  /** Attempts that were too many to be told. */
  #untold = 0;

  private constructor(options: ConsoleOptions, pair: TlsPair | undefined) {
    this.#options = options;
    const { wantsToken } = options.door;
    const { patienceMs = PATIENCE_MS } = options;
    const limits = { ...LIMITS, headersTimeout: patienceMs, connectionsCheckingInterval: patienceMs };
    this.#strangeAttempts = new RateLimiter(options.clock, STRANGE_ATTEMPTS);
    this.#streamsOf = new PerUser(wantsToken ? STREAMS_OF_USER : MOST_STREAMS);
    this.#plansOf = new PerUser(wantsToken ? PLANS_OF_USER : MOST_PLANS);
    const respond: RequestListener = (request, response) => {
      this.#respond(request, response).catch((error) => this.#failed(response, error));
    };
    this.#server = pair
      ? createTlsServer({ ...limits, ...TLS_LIMITS, ...pair }, respond)
      : createServer(limits, respond);
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.timeout = IDLE_SOCKET_MS;
  }

  /** Resolves when it listens. Port 0 is any that is free. */
  static async open(
    options: ConsoleOptions,
    address: { readonly host?: string; readonly port: number },
  ): Promise<ConsoleServer> {
    const pair = options.tls && (await readTlsPair(options.tls));
    const server = new ConsoleServer(options, pair);
    server.#server.listen(address);
    await once(server.#server, 'listening');
    if (options.tls && pair) server.#follow(options.tls, pair);
    return server;
  }

  /** Connections that are open keep the certificate that they began with. */
  #follow(files: TlsFiles, pair: TlsPair): void {
    const { clock, log } = this.#options;
    const onPair = (renewed: TlsPair) => {
      if (this.#server instanceof TlsServer) this.#server.setSecureContext({ ...TLS_LIMITS, ...renewed });
    };
    this.#stopFollowing = followTlsPair(files, pair, { clock, log, onPair });
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopFollowing();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const end of this.#streams) end();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const { method = '', url = '/' } = request;
    const target = URL.parse(url, 'http://console');
    const header = (name: string) => [request.headers[name] ?? []].flat()[0];
    const path = target?.pathname ?? '/';
    const asked: Asked = { method, path, header, isEncrypted: this.#options.tls !== undefined };
    const refusal = refusalOf(asked, this.#options.hosts);
    if (refusal) return this.#refuse(asked, response, refusal);
    if (!path.startsWith('/api/')) return this.#page(path, method, header, response);
    response.setHeader('cache-control', 'no-store');
    await this.#api(asked, target?.searchParams ?? new URLSearchParams(), request, response);
  }

  async #page(path: string, method: string, header: Asked['header'], response: ServerResponse): Promise<void> {
    const file = await this.#options.page.find(path);
    if (file) return sendFile(response, file, method, header);
    refuse(response, { status: 404, problem: 'There is nothing here.' });
  }

  async #api(asked: Asked, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, path, header } = asked;
    const [what = '', name = '', part = '', item = '', of = ''] = partsOf(path);
    if (what === 'hello' && name === '') {
      if (method !== 'GET') return refuse(response, wrongMethod(method));
      return this.#hello(header('authorization'), response);
    }
    const cluster = what === 'clusters' ? this.#options.clusters.find((each) => each.name === name) : undefined;
    if (!cluster) return this.#refuse(asked, response, { status: 404, problem: 'There is no such cluster here.' });
    const caller = await this.#options.door.callerIn(cluster, header('authorization'));
    if ('problem' in caller) return this.#refuse(asked, response, caller);
    if (response.destroyed) return this.#refuse(asked, response, GONE, { user: visible(caller.user) });
    if (part === 'live' && method === 'GET') return this.#live(cluster, caller, header, query, response);
    const signal = whileAsked(response);
    if (part === 'volumes' && method === 'GET') return this.#story(cluster, caller, item, response, signal);
    if (part === 'syncs' && of === 'plan' && method === 'GET')
      return this.#plan(cluster, caller, item, response, signal);
    if (part === 'actions' && method === 'POST') return this.#act(cluster, caller, asked, request, response);
    refuse(response, { status: 404, problem: 'There is nothing here.' });
  }

  /** What somebody tried to do is in the log, whatever became of it. */
  #refuse(asked: Asked, response: ServerResponse, refusal: Refusal, about: About = {}): void {
    if (isAttempt(asked)) this.#tellOfAttempt(asked, refusal, about);
    refuse(response, refusal);
  }

  #tellOfAttempt({ path }: Asked, { status, problem }: Refusal, about: About): void {
    if (about.user === undefined && !this.#strangeAttempts.tryTake()) {
      this.#untold += 1;
      return;
    }
    const untold = this.#untold > 0 ? { untold: this.#untold } : {};
    this.#untold = 0;
    const told = { audit: true, path: visible(path.slice(0, LONGEST_PATH)), ...about, status, succeeded: false };
    this.#options.log.warn({ ...told, ...untold }, problem);
  }

  async #hello(authorization: string | undefined, response: ServerResponse): Promise<void> {
    const { version, clusters, allowed, door } = this.#options;
    const [cluster] = clusters;
    const caller = cluster && (await door.callerIn(cluster, authorization));
    if (caller && 'problem' in caller && caller.status !== 401) return refuse(response, caller);
    if (door.wantsToken && !(caller && 'user' in caller)) return answer(response, 200, STRANGER);
    answer(response, 200, {
      version,
      clusters: clusters.map(({ name, title }) => ({ name, title })),
      actions: allowed,
      wantsToken: door.wantsToken,
      ...(caller && 'user' in caller && { user: caller.user }),
    } satisfies Hello);
  }

  async #story(
    cluster: ConsoleCluster,
    caller: Caller,
    name: string,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const parts = visibleTo(caller.rights, cluster.parts);
    const story = await storyOf(cluster, name, parts, caller.client, signal);
    if (story) answer(response, 200, maySeePodsOf(caller.rights, story.row) ? story : { ...story, zoneWhy: undefined });
    else refuse(response, { status: 404, problem: 'There is no such volume, or you may not see it.' });
  }

  async #plan(
    cluster: ConsoleCluster,
    caller: Caller,
    name: string,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const sync = caller.rights.syncs ? cluster.views.syncs.get(name) : undefined;
    if (!sync) return refuse(response, { status: 404, problem: 'There is no such sync, or you may not see it.' });
    if (this.#plans >= MOST_PLANS)
      return refuse(response, {
        status: 503,
        problem: 'Too many plans are made at this moment: ask again.',
        retryAfterS: ASK_AGAIN_S,
      });
    const place = this.#plansOf.place(caller.user);
    if (!place)
      return refuse(response, {
        status: 429,
        problem: 'A plan is made for you at this moment: wait for it.',
        retryAfterS: ASK_AGAIN_S,
      });
    this.#plans += 1;
    try {
      const { clock, store } = cluster;
      answer(response, 200, await recoveryPlan(sync, store, { client: caller.client, clock }, signal));
    } finally {
      this.#plans -= 1;
      place();
    }
  }

  async #act(
    cluster: ConsoleCluster,
    caller: Caller,
    asked: Asked,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { actions, allowed } = this.#options;
    const about = { user: visible(caller.user), cluster: cluster.name };
    const text = await bodyOf(request);
    if (text === undefined)
      return this.#refuse(asked, response, { status: 413, problem: 'That is more than any action is.' }, about);
    const action = parseAction(text);
    if ('fault' in action) return this.#refuse(asked, response, { status: 400, problem: action.fault }, about);
    if (!allowed.includes(action.name)) {
      const { name, to } = action;
      const problem = 'This console only shows: start it with --allow-actions to act in it.';
      return this.#refuse(asked, response, { status: 403, problem }, { ...about, action: name, to });
    }
    answer(response, 200, await actions.act(cluster, caller, action));
  }

  #live(
    cluster: ConsoleCluster,
    caller: Caller,
    header: Asked['header'],
    query: URLSearchParams,
    response: ServerResponse,
  ): void {
    if (this.#streams.size >= MOST_STREAMS) {
      refuse(response, {
        status: 503,
        problem: 'Too many people look at this console: close another one.',
        retryAfterS: ASK_AGAIN_S,
      });
      return;
    }
    const feed = cluster.feedFor(caller.rights);
    if (!feed) {
      refuse(response, {
        status: 503,
        problem: 'Too many people with different rights look at this console: ask again later.',
        retryAfterS: ASK_AGAIN_S,
      });
      return;
    }
    const place = this.#streamsOf.place(caller.user);
    if (!place) {
      refuse(response, {
        status: 429,
        problem: `You look at this console in ${STREAMS_OF_USER} places already: close another one.`,
        retryAfterS: ASK_AGAIN_S,
      });
      return;
    }
    const beat = () => feed.time(cluster.clock.now());
    const options = {
      clock: this.#options.clock,
      isGzipped: /\bgzip\b/.test(header('accept-encoding') ?? ''),
      lastId: header('last-event-id') ?? query.get('after') ?? undefined,
      standing: () => [feed.connection(cluster.hearing.connection), beat()],
      beat,
    };
    const end = stream(feed, response, options, () => {
      this.#streams.delete(end);
      place();
      stopAsking();
    });
    const stopAsking = this.#askAgain(cluster, caller, header('authorization'), end);
    this.#streams.add(end);
  }

  /** A token may expire, and rights may change: then the stream ends, and whoever still may begins anew. */
  #askAgain(cluster: ConsoleCluster, { rights }: Caller, authorization: string | undefined, end: () => void): Cancel {
    const { clock, door } = this.#options;
    if (!door.wantsToken) return () => {};
    const again = (): Cancel =>
      clock.after(ASK_AGAIN_MS, () => {
        door.callerIn(cluster, authorization).then(
          (caller) => {
            if ('problem' in caller || keyOf(caller.rights) !== keyOf(rights)) end();
          },
          () => end(),
        );
        cancel = again();
      });
    let cancel = again();
    return () => cancel();
  }

  #failed(response: ServerResponse, err: unknown): void {
    this.#options.log.error({ err }, 'a request could not be answered');
    if (response.headersSent) response.destroy();
    else refuse(response, { status: 500, problem: 'This console could not answer. Its log tells why.' });
  }
}

/** Who tried what, as far as it is known. */
interface About {
  readonly user?: string;
  readonly [more: string]: unknown;
}

/** What is behind `/api/`. */
const partsOf = (path: string): readonly string[] => path.split('/').slice(2).map(decoded);

/** Somebody wants something done. */
const isAttempt = ({ method, path }: Asked): boolean => method === 'POST' && partsOf(path)[2] === 'actions';

/** The console's HTTP server: the page, and the API that it reads. Bounded in everything that a stranger could use up. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cancel, Clock } from '../kit/clock/clock.ts';
import type { Log } from '../kit/observe/log.ts';
import { type Actions, parseAction } from './actions.ts';
import { answer, bodyOf, decoded, refuse, sendFile, whileAsked } from './answers.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Caller, Door } from './door.ts';
import { type Asked, refusalOf, SECURITY_HEADERS, wrongMethod } from './guard.ts';
import { stream } from './live.ts';
import type { ActionName, Hello } from './model.ts';
import { recoveryPlan } from './recovery-plan.ts';
import { keyOf, visibleTo } from './rights.ts';
import type { PageFiles } from './static.ts';
import { storyOf } from './story.ts';

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
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};
const MOST_CONNECTIONS = 256;
/** A client that neither reads nor sends for this long is let go. Streams have heartbeats. */
const IDLE_SOCKET_MS = 90_000;
const MOST_STREAMS = 100;
/** Each reads an export and all volumes of the cluster. */
const MOST_PLANS = 4;
/** As long as answers about a token are remembered, and a little more. */
const ASK_AGAIN_MS = 31_000;

export class ConsoleServer implements AsyncDisposable {
  readonly #options: ConsoleOptions;
  readonly #server: Server;
  readonly #streams = new Set<() => void>();
  /** How many are being made. */
  #plans = 0;

  private constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#server = createServer(LIMITS, (request, response) => {
      this.#respond(request, response).catch((error) => this.#failed(response, error));
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.timeout = IDLE_SOCKET_MS;
  }

  /** Resolves when it listens. Port 0 is any that is free. */
  static async open(
    options: ConsoleOptions,
    address: { readonly host?: string; readonly port: number },
  ): Promise<ConsoleServer> {
    const server = new ConsoleServer(options);
    server.#server.listen(address);
    await once(server.#server, 'listening');
    return server;
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async [Symbol.asyncDispose](): Promise<void> {
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
    const asked: Asked = { method, path, header };
    const refusal = refusalOf(asked, this.#options.hosts);
    if (refusal) return refuse(response, refusal);
    if (!path.startsWith('/api/')) return this.#page(path, method, header, response);
    response.setHeader('cache-control', 'no-store');
    await this.#api(asked, target?.searchParams ?? new URLSearchParams(), request, response);
  }

  async #page(path: string, method: string, header: Asked['header'], response: ServerResponse): Promise<void> {
    const file = await this.#options.page.find(path);
    if (file) return sendFile(response, file, method, header);
    refuse(response, { status: 404, problem: 'There is nothing here.' });
  }

  async #api(
    { method, path, header }: Asked,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const [, , what = '', name = '', part = '', item = '', of = ''] = path.split('/').map(decoded);
    if (what === 'hello' && name === '') {
      if (method !== 'GET') return refuse(response, wrongMethod(method));
      return answer(response, 200, await this.#hello(header('authorization')));
    }
    const cluster = what === 'clusters' ? this.#options.clusters.find((each) => each.name === name) : undefined;
    if (!cluster) return refuse(response, { status: 404, problem: 'There is no such cluster here.' });
    const caller = await this.#options.door.callerIn(cluster, header('authorization'));
    if ('problem' in caller) return refuse(response, caller);
    if (part === 'live' && method === 'GET') return this.#live(cluster, caller, header, query, response);
    const signal = whileAsked(response);
    if (part === 'volumes' && method === 'GET') return this.#story(cluster, caller, item, response, signal);
    if (part === 'syncs' && of === 'plan' && method === 'GET')
      return this.#plan(cluster, caller, item, response, signal);
    if (part === 'actions' && method === 'POST') return this.#act(cluster, caller, request, response);
    refuse(response, { status: 404, problem: 'There is nothing here.' });
  }

  async #hello(authorization: string | undefined): Promise<Hello> {
    const { version, clusters, allowed, door } = this.#options;
    const [cluster] = clusters;
    const caller = cluster && (await door.callerIn(cluster, authorization));
    return {
      version,
      clusters: clusters.map(({ name, title }) => ({ name, title })),
      actions: allowed,
      wantsToken: door.wantsToken,
      ...(caller && 'user' in caller && { user: caller.user }),
    };
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
    if (story) answer(response, 200, story);
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
      return refuse(response, { status: 503, problem: 'Too many plans are made at this moment: ask again.' });
    this.#plans += 1;
    try {
      const { clock, store } = cluster;
      answer(response, 200, await recoveryPlan(sync, store, { client: caller.client, clock }, signal));
    } finally {
      this.#plans -= 1;
    }
  }

  async #act(
    cluster: ConsoleCluster,
    caller: Caller,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { actions, allowed } = this.#options;
    const text = await bodyOf(request);
    if (text === undefined) return refuse(response, { status: 413, problem: 'That is more than any action is.' });
    const action = parseAction(text);
    if ('fault' in action) return refuse(response, { status: 400, problem: action.fault });
    if (!allowed.includes(action.name))
      return refuse(response, {
        status: 403,
        problem: 'This console only shows: start it with --allow-actions to act in it.',
      });
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
      refuse(response, { status: 503, problem: 'Too many people look at this console: close another one.' });
      return;
    }
    const feed = cluster.feedFor(caller.rights);
    const { connection } = cluster.hearing;
    const options = {
      clock: this.#options.clock,
      isGzipped: /\bgzip\b/.test(header('accept-encoding') ?? ''),
      lastId: header('last-event-id') ?? query.get('after') ?? undefined,
      first: connection.isHeard ? [] : [feed.connection(connection)],
    };
    const end = stream(feed, response, options, () => {
      this.#streams.delete(end);
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

/** For tests: a console over a cluster in the same process, and a client that speaks plain HTTP to it. */
import { type IncomingMessage, request } from 'node:http';
import { createGunzip } from 'node:zlib';
import { customResources } from '../custom-resources.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { systemClock } from '../kit/clock/clock.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { Transport } from '../kit/kube/transport.ts';
import { customResourceDefinition } from '../kit/manifests/crd.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { Cluster } from '../sandbox/cluster.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../sandbox/kinds/resources.ts';
import { seeded } from '../sandbox/seeded.ts';
import { ADMIN, type User } from '../sandbox/server/target.ts';
import { TokenDoor } from './access.ts';
import { ACTIONS, Actions } from './actions.ts';
import { ConsoleCluster } from './cluster.ts';
import { openDoor } from './door.ts';
import type { ActionName, Message } from './model.ts';
import type { StoreAccess } from './recovery-plan.ts';
import { ConsoleServer } from './server.ts';
import { PageFiles } from './static.ts';
import type { TlsFiles } from './tls.ts';

export interface SimulatedOptions {
  /** Who the console itself is in the cluster. */
  readonly user?: User;
  readonly withTokens?: boolean;
  readonly allowed?: readonly ActionName[];
  readonly withoutKinds?: boolean;
  readonly store?: StoreAccess;
  readonly namespace?: string;
  /** Of the server and of what is remembered of tokens; that of the cluster is the real one. */
  readonly clock?: Clock;
  readonly pageDirectories?: readonly string[];
  readonly tls?: TlsFiles;
  readonly patienceMs?: number;
}

export class SimulatedConsole implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly log = new RecordingLog();
  readonly console: ConsoleCluster;
  readonly transport: Transport;
  readonly #stack: AsyncDisposableStack;
  readonly #server: ConsoleServer;

  private constructor(
    cluster: Cluster,
    console: ConsoleCluster,
    transport: Transport,
    log: RecordingLog,
    server: ConsoleServer,
    stack: AsyncDisposableStack,
  ) {
    this.cluster = cluster;
    this.console = console;
    this.transport = transport;
    this.log = log;
    this.#server = server;
    this.#stack = stack;
  }

  static async open(options: SimulatedOptions = {}, cluster = newCluster(options)): Promise<SimulatedConsole> {
    const { user = ADMIN, allowed = ACTIONS, withTokens = false, store, pageDirectories = [] } = options;
    const clock = systemClock;
    const random = seeded(2);
    await using stack = new AsyncDisposableStack();
    const log = new RecordingLog();
    const transport = cluster.transport(user);
    const client = new KubeClient({ transport, clock, random });
    const console = new ConsoleCluster({
      name: 'here',
      title: 'Here',
      client,
      clock,
      random,
      log,
      instance: `${random()}`,
      store,
      namespace: options.namespace,
    });
    const stop = new AbortController();
    const running = console.run(stop.signal);
    stack.defer(async () => {
      stop.abort();
      await Promise.allSettled([running]);
    });
    const clientFor = (token: string) => {
      const found = cluster.access.tokens.identify(token);
      return new KubeClient({ transport: cluster.transport(found?.user ?? NOBODY), clock, random });
    };
    const actions = stack.use(new Actions({ log, id: () => `${random()}` }));
    const server = stack.use(
      await ConsoleServer.open(
        {
          version: 'test',
          clusters: [console],
          door: withTokens ? new TokenDoor({ clock: options.clock ?? clock, clientFor }) : openDoor('tester'),
          clock: options.clock ?? clock,
          log,
          page: new PageFiles(pageDirectories),
          actions,
          allowed,
          hosts: new Set(['console.example.com']),
          ...(options.tls && { tls: options.tls }),
          ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
        },
        { host: '127.0.0.1', port: 0 },
      ),
    );
    return new SimulatedConsole(cluster, console, transport, log, server, stack.move());
  }

  get port(): number {
    return this.#server.address.port;
  }

  get objects() {
    return this.cluster.objects;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  ask(path: string, asked: Asked = {}): Promise<Answered> {
    return ask(this.port, path, asked);
  }

  follow(path = '/api/clusters/here/live', headers: Headers = {}): Promise<Following> {
    return Following.open(this.port, path, headers);
  }
}

const NOBODY: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** With another seed it is another cluster, by its uid as well. */
export function newCluster({ withoutKinds = false }: SimulatedOptions = {}, seed = 1): Cluster {
  const cluster = new Cluster({ clock: systemClock, random: seeded(seed) });
  if (!withoutKinds)
    for (const resource of customResources)
      cluster.objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(resource));
  return cluster;
}

type Headers = Readonly<Record<string, string>>;

export interface Asked {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
  readonly json: () => unknown;
}

async function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asked): Promise<Answered> {
  const response = await begun(port, path, method, headers, body);
  const text = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString();
  const header = (name: string) => [response.headers[name] ?? []].flat()[0];
  return { status: response.statusCode ?? 0, header, text, json: () => JSON.parse(text) };
}

const begun = (port: number, path: string, method: string, headers: Headers, body?: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });

export interface Event {
  readonly id: string;
  readonly message: Message;
}

/** A stream of events that a test reads. */
export class Following implements Disposable {
  readonly events: Event[] = [];
  readonly response: IncomingMessage;
  hasEnded = false;
  #rest = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    const body = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response;
    body.on('data', (chunk: Buffer) => this.#take(chunk.toString()));
    for (const stream of [body, response]) {
      stream.on('error', () => {});
      stream.on('close', () => {
        this.hasEnded = true;
      });
    }
  }

  static async open(port: number, path: string, headers: Headers): Promise<Following> {
    return new Following(await begun(port, path, 'GET', headers));
  }

  get last(): Event | undefined {
    return this.events.at(-1);
  }

  [Symbol.dispose](): void {
    this.response.destroy();
  }

  #take(text: string): void {
    const blocks = `${this.#rest}${text}`.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, id = '', data = ''] = /^id: (.*)\ndata: (.*)$/s.exec(block) ?? [];
      if (data !== '') this.events.push({ id, message: JSON.parse(data) as Message });
    }
  }
}

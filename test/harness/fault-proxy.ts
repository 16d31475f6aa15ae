/**
 * A loopback proxy between a client and a server that makes the faults of a network and a troubled API server at chosen
 * calls, and counts what passed. It ends TLS itself, so client certificates end at it: use tokens.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { Authority } from '../../src/kit/certificates.ts';
import { ConnectionRelay } from './connection-relay.ts';
import { Exchange } from './exchange.ts';
import { type Fault, type Match, matches, type Occurrence, type Reply, Rule } from './faults.ts';
import { type KubeCall, kubeCall } from './kube-call.ts';
import { Upstream } from './upstream.ts';

/** A control plane, or any other server (without credentials: reached and offered by plain HTTP/1.1). */
export interface Target {
  readonly url: string;
  readonly ca?: string;
  readonly credentials?: { readonly authority: Authority };
}

export interface FaultProxyOptions {
  /** For requests that come without an Authorization header. */
  readonly token?: string;
  /** What two reads have in common when a stale one may be answered by the other's reply; their path, by default. */
  readonly readOf?: (url: string) => string;
}

/** A request that came to the proxy. */
export interface Passage extends KubeCall {
  readonly connection: number;
  readonly httpVersion: string;
  readonly userAgent: string;
  readonly fault?: Fault['fault'];
  /** Why the server did not answer, where that was no fault of a rule. */
  failure?: string;
}

export async function startFaultProxy(target: Target, options: FaultProxyOptions = {}): Promise<FaultProxy> {
  const server = createHttpServer(target.credentials?.authority);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port');
  const relay = await ConnectionRelay.start(address.port);
  return new FaultProxy(server, relay, target, options);
}

/** Idle connections are kept as long as an API server would keep them: an early end would be one more fault. */
const IDLE_TIMEOUT = 600_000;

function createHttpServer(authority: Authority | undefined): Server | Http2SecureServer {
  if (!authority) return createServer({ keepAliveTimeout: IDLE_TIMEOUT });
  const { certificate: cert, key } = authority.issueServer({ commonName: 'fault-proxy' }, ['127.0.0.1', 'localhost']);
  const http1Options = { keepAliveTimeout: IDLE_TIMEOUT };
  return createSecureServer({ cert, key, allowHTTP1: true, http1Options });
}

export class FaultProxy implements AsyncDisposable {
  readonly url: string;
  /** PEM, as the target's. */
  readonly ca: string;
  /** Where all connections pass: count, reset or freeze them here. */
  readonly connections: ConnectionRelay;
  readonly #server: Server | Http2SecureServer;
  readonly #upstream: Upstream;
  readonly #readOf: (url: string) => string;
  readonly #log: Passage[] = [];
  readonly #recordings = new Map<Rule, Map<string, Reply>>();
  #rules: Rule[] = [];

  constructor(
    server: Server | Http2SecureServer,
    relay: ConnectionRelay,
    { url, ca, credentials }: Target,
    { readOf = pathOf, ...options }: FaultProxyOptions,
  ) {
    this.#readOf = readOf;
    this.url = `${credentials ? 'https' : 'http'}://127.0.0.1:${relay.port}`;
    this.ca = ca ?? '';
    this.connections = relay;
    this.#server = server;
    this.#upstream = new Upstream({ url, ...(ca !== undefined && { ca }), ...options });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response));
  }

  /** Every request since the start, in the order of arrival. */
  get log(): readonly Readonly<Passage>[] {
    return this.#log;
  }

  count(match: Match = {}): number {
    return this.#log.filter((passage) => matches(match, passage)).length;
  }

  /** The first rule whose turn it is decides; a rule counts every call that it concerns. */
  inject(match: Match & Occurrence, fault: Fault): Rule {
    const rule = new Rule(match, fault);
    this.#rules.push(rule);
    return rule;
  }

  remove(rule: Rule): void {
    this.#rules = this.#rules.filter((other) => other !== rule);
  }

  /** From now on everything passes unharmed. What is held already stays held. */
  clear(): void {
    this.#rules = [];
  }

  resetAllConnections(): void {
    this.connections.resetAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connections[Symbol.asyncDispose]();
    const closed = once(this.#server, 'close');
    this.#server.close();
    if ('closeAllConnections' in this.#server) this.#server.closeAllConnections();
    await this.#upstream[Symbol.asyncDispose]();
    await closed;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.from(request.socket.remotePort);
    if (!connection) return; // It was reset a moment ago.
    const call = kubeCall(request.method ?? 'GET', request.url ?? '/');
    const rule = this.#ruleFor(call);
    const passage: Passage = {
      ...call,
      connection: connection.number,
      httpVersion: request.httpVersion,
      userAgent: request.headers['user-agent'] ?? '',
      ...(rule && { fault: rule.fault.fault }),
    };
    this.#log.push(passage);
    const stale = this.#staleRuleFor(call);
    const exchange = new Exchange({
      request,
      response,
      connection,
      upstream: this.#upstream,
      earlier: rule && this.#recordings.get(rule)?.get(this.#readOf(call.url)),
      record: stale && ((recording) => this.#record(stale, call, recording)),
    });
    rule?.hit();
    void exchange.run(rule?.fault).then((error) => {
      if (error) passage.failure = error.message;
    });
  }

  #ruleFor(call: KubeCall): Rule | undefined {
    const due = this.#rules.filter((rule) => rule.concerns(call)).filter((rule) => rule.due());
    return due[0];
  }

  #staleRuleFor(call: KubeCall): Rule | undefined {
    if (call.method !== 'GET' || call.verb === 'watch') return undefined;
    return this.#rules.find((rule) => rule.fault.fault === 'stale' && rule.concerns(call));
  }

  #record(rule: Rule, call: KubeCall, recording: Reply): void {
    const recordings = this.#recordings.get(rule) ?? new Map<string, Reply>();
    this.#recordings.set(rule, recordings);
    const read = this.#readOf(call.url);
    if (!recordings.has(read)) recordings.set(read, recording);
  }
}

const pathOf = (url: string): string => url.replace(/\?.*/, '');

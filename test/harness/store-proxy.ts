/**
 * A fault proxy in front of an S3 server: faults at the n-th call of a verb, or at keys. The client signs for the proxy's host, and the
 * server checks the signature for the host that it is told: the proxy's, since by plain HTTP the proxy passes on what the client named.
 */
import { type FaultProxy, type Passage, startFaultProxy } from './fault-proxy.ts';
import type { Fault, Occurrence, Reply, Rule } from './faults.ts';
import type { S3Server } from './s3-server.ts';

export interface StoreRequest {
  readonly verb: 'get' | 'head' | 'put' | 'list' | 'remove';
  readonly bucket: string;
  /** The prefix of a list. */
  readonly key: string;
}

/** Which calls; what is left out matches any. */
export interface StoreMatch {
  readonly verb?: StoreRequest['verb'];
  readonly key?: string | RegExp;
}

export const ALWAYS = Number.POSITIVE_INFINITY;

export async function startStoreProxy(server: Pick<S3Server, 'url'>): Promise<StoreProxy> {
  return new StoreProxy(await startFaultProxy({ url: server.url.origin }, { readOf: pageOf }));
}

export class StoreProxy implements AsyncDisposable {
  readonly #proxy: FaultProxy;

  constructor(proxy: FaultProxy) {
    this.#proxy = proxy;
  }

  /** What clients have as the endpoint. */
  get url(): string {
    return this.#proxy.url;
  }

  /** Where all connections pass: count, reset or freeze them here. */
  get connections(): FaultProxy['connections'] {
    return this.#proxy.connections;
  }

  /** Every call since the start, in the order of arrival. */
  get log(): readonly (StoreRequest & Pick<Passage, 'fault'>)[] {
    return this.#proxy.log.map(({ method, url, fault }) => ({ ...storeRequest(method, url), ...(fault && { fault }) }));
  }

  count(match: StoreMatch = {}): number {
    return this.log.filter((call) => matches(match, call)).length;
  }

  /** The first rule whose turn it is decides; a rule counts every call that it concerns. */
  inject({ verb, key, ...occurrence }: StoreMatch & Occurrence, fault: Fault): Rule {
    const match = { ...(verb !== undefined && { verb }), ...(key !== undefined && { key }) };
    return this.#proxy.inject(
      { ...occurrence, where: (call) => matches(match, storeRequest(call.method, call.url)) },
      fault,
    );
  }

  remove(rule: Rule): void {
    this.#proxy.remove(rule);
  }

  /** From now on everything passes unharmed. What is held already stays held. */
  clear(): void {
    this.#proxy.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
  }
}

/** An answer in the words of S3, instead of the server's: `refusal(403, 'AccessDenied')`, `refusal(404, 'NoSuchBucket')`, … */
export const refusal = (status: number, code: string): Fault => ({
  fault: 'reply',
  reply: {
    status,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>as the test wanted it</Message></Error>`,
    ),
  },
});

/** The server's clock is wrong by so much, as far as its answers tell. */
export const shiftedDate = (ms: number): Fault => ({
  fault: 'rewrite-reply',
  rewrite: (reply) => ({ ...reply, headers: { ...reply.headers, date: new Date(Date.now() + ms).toUTCString() } }),
});

/** What is read is another content, of another length, and the answer fits it. */
export const rewrittenBody = (rewrite: (body: Buffer) => Uint8Array): Fault => ({
  fault: 'rewrite-reply',
  rewrite: (reply: Reply) => (reply.status === 200 ? { ...reply, body: Buffer.from(rewrite(reply.body)) } : reply),
});

export const truncatedBody = (bytes: number): Fault => rewrittenBody((body) => body.subarray(0, bytes));

function storeRequest(method: string, url: string): StoreRequest {
  const { pathname, searchParams } = new URL(url, 'http://any');
  const [bucket = '', ...rest] = pathname.slice(1).split('/').map(decodeURIComponent);
  if (method === 'GET' && searchParams.has('list-type')) {
    return { verb: 'list', bucket, key: searchParams.get('prefix') ?? '' };
  }
  return { verb: VERBS[method] ?? 'get', bucket, key: rest.join('/') };
}

const VERBS: Readonly<Record<string, StoreRequest['verb']>> = { HEAD: 'head', PUT: 'put', DELETE: 'remove' };

const matches = ({ verb, key }: StoreMatch, call: StoreRequest): boolean =>
  (verb === undefined || verb === call.verb) &&
  (key === undefined || (typeof key === 'string' ? key === call.key : key.test(call.key)));

/** Of a list it is the page of a prefix; of an object the SDK puts the name of the operation behind it. */
function pageOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://any');
  return [pathname, searchParams.get('prefix') ?? '', searchParams.get('continuation-token') ?? ''].join('\n');
}

/** The server behind a fault proxy: sends it a client's request as it came and gives its answer as it comes. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { type Body, firstPart } from './body-stream.ts';

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Body;
}

export interface UpstreamOptions {
  readonly url: string;
  readonly ca?: string;
  /** For requests that come without an Authorization header. */
  readonly token?: string;
}

export class Upstream implements AsyncDisposable {
  readonly #options: UpstreamOptions;
  readonly #agent: Agent;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#agent = new Agent({ allowH2: false, bodyTimeout: 0, headersTimeout: 0, connect: { ca: options.ca } });
  }

  async send(request: IncomingMessage, signal: AbortSignal): Promise<UpstreamAnswer> {
    const { statusCode, headers, body } = await this.#agent.request({
      ...this.#head(request),
      body: hasBody(request) ? copyOf(request) : null,
      signal,
    });
    return { status: statusCode, headers: endToEnd(headers), body };
  }

  /** Lets the server have a part of the body, and then the end of the connection. */
  async sendPart(request: IncomingMessage, bytes: number): Promise<void> {
    const body = Readable.from(brokenAfter(request, bytes));
    const answer = await this.#agent.request({ ...this.#head(request), body }).catch(() => undefined);
    await answer?.body.dump();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #head(request: IncomingMessage) {
    return {
      origin: this.#options.url,
      path: request.url ?? '/',
      method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: this.#headers(request.headers),
    };
  }

  /**
   * By plain HTTP the host stays the one that the client named, since signatures may cover it. By TLS it is the
   * server's, since its certificate is checked against it.
   */
  #headers(headers: IncomingHttpHeaders): Record<string, string | string[]> {
    const { token, url } = this.#options;
    const { host: named, ...others } = endToEnd(headers);
    const host = url.startsWith('https:') ? new URL(url).host : (named ?? '');
    return { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...others, host };
  }
}

async function* brokenAfter(body: Body, bytes: number): Body {
  yield* firstPart(body, { afterBytes: bytes });
  throw new Error('torn by the proxy');
}

/** A request that fails upstream destroys its body, which must not look as if the client had left. */
function copyOf(request: IncomingMessage): PassThrough {
  const copy = new PassThrough();
  request.once('error', (error) => copy.destroy(error));
  return request.pipe(copy);
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD' && headers['content-length'] !== '0';
}

/** Headers about one connection are not passed on to the next, nor are HTTP/2's own that begin with a colon. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'expect']);

function endToEnd(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':') && !CONNECTION_HEADERS.has(name)) result[name] = value;
  }
  return result;
}

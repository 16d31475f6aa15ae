/** A client that does as little as Node.js lets one do, and the same for whoever is asked: each client has one connection, and keeps it. */
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Buffer | string;
}

export interface Answer {
  readonly status: number;
  readonly bytes: number;
}

export class HttpClient implements Disposable {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Counts what comes back, and lets go of it. */
  send(request: Request): Promise<Answer> {
    return this.#exchange(request, async (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      await new Promise((resolve, reject) => response.once('end', resolve).once('error', reject));
      return { status: response.statusCode ?? 0, bytes };
    });
  }

  /** What comes back, if it is what it should be. */
  async read(request: Request, expected: number): Promise<Buffer> {
    const { status, bytes } = await this.#exchange(request, async (response) => ({
      status: response.statusCode,
      bytes: await buffer(response),
    }));
    if (status !== expected) throw new Error(`${request.method} ${request.path}: ${status}: ${bytes}`);
    return bytes;
  }

  async json<T>(request: Request): Promise<T> {
    return JSON.parse((await this.read(request, 200)).toString()) as T;
  }

  #exchange<T>(request: Request, take: (response: import('node:http').IncomingMessage) => Promise<T>): Promise<T> {
    const { method, path, headers, body } = request;
    const { hostname: host, port } = this.#url;
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host, port, method, path, headers, agent: this.#agent });
      sent.once('error', reject);
      sent.once('response', (response) => void take(response).then(resolve, reject));
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

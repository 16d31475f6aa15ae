/** The API server's data as etcd holds them, read and written behind its back. The API server hears of each write by its own watch. */
import { join } from 'node:path';
import { Agent } from 'undici';

export interface Entry {
  readonly key: string;
  /** Protobuf, each byte as one character. */
  readonly value: string;
}

const CONNECTIONS = 16;

export class EtcdStore implements AsyncDisposable {
  readonly #gateway: Agent;

  /** `directory` is the one that the control plane runs in. */
  constructor(directory: string) {
    this.#gateway = new Agent({ connections: CONNECTIONS, connect: { socketPath: join(directory, 'etcd:0') } });
  }

  async read(prefix: string): Promise<readonly Entry[]> {
    const { kvs = [] } = await this.#call<{ readonly kvs?: readonly Entry[] }>('/v3/kv/range', rangeOf(prefix));
    return kvs.map(({ key, value }) => ({ key: unbase64(key), value: unbase64(value) }));
  }

  async count(prefix: string): Promise<number> {
    const range = { ...rangeOf(prefix), count_only: true };
    return Number((await this.#call<{ readonly count?: string }>('/v3/kv/range', range)).count ?? 0);
  }

  /** One write for each, because each has to have a version of its own. Resolves with the last of them. */
  async write(entries: Iterable<Entry>): Promise<number> {
    const left = Iterator.from(entries);
    let revision = 0;
    const writer = async () => {
      for (const { key, value } of left) {
        const put = { key: base64(key), value: base64(value) };
        const { header } = await this.#call<{ readonly header: { readonly revision: string } }>('/v3/kv/put', put);
        revision = Math.max(revision, Number(header.revision));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, writer));
    return revision;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway.destroy();
  }

  async #call<T>(path: string, request: object): Promise<T> {
    const body = JSON.stringify(request);
    const answer = await this.#gateway.request({ origin: 'http://etcd', path, method: 'POST', body });
    if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode}: ${await answer.body.text()}`);
    return (await answer.body.json()) as T;
  }
}

function rangeOf(prefix: string): { readonly key: string; readonly range_end: string } {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  return { key: base64(prefix), range_end: base64(end) };
}

const base64 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('base64');
const unbase64 = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/** A real S3 server for one test: versitygw, which `make s3-server` builds, over files in a directory of its own. */

import { mkdir } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { Agent } from 'undici';
import { builtByGo } from '../../tools/go-build.ts';
import { Component } from './component.ts';
import { Keeper } from './keeper.ts';
import { freePort } from './loopback.ts';
import { type Credentials, encodedPath, encodedQuery, signedHeaders } from './sigv4.ts';

export interface S3ServerOptions {
  /** The only ones that it knows. */
  readonly credentials?: Credentials;
  /**
   * Where objects are kept; by default in memory, and gone with the server. The filesystem must keep extended
   * attributes of users, as tmpfs does from Linux 6.6 on.
   */
  readonly directory?: string;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** `/bucket/key`, as people write it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Instead of those of the server. */
  readonly credentials?: Credentials;
  /** The proxy to go through. */
  readonly via?: string;
}

export interface S3Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const CREDENTIALS: Credentials = { accessKey: 'holdfast', secretKey: 'a secret of tests', region: 'eu-central-1' };

/** Stays empty. Without it an unknown access key is answered in another way than AWS does. */
const ACCOUNTS = 'accounts';

/** Ready to be used when it resolves; nothing of it is left once it is disposed of. */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const keeper = await Keeper.start();
  try {
    const directory = options.directory ?? join(keeper.directory, 'buckets');
    await mkdir(directory, { recursive: true });
    await mkdir(join(keeper.directory, ACCOUNTS));
    const server = new S3Server(keeper, await freePort(), directory, options.credentials ?? CREDENTIALS);
    await server.start();
    return server;
  } catch (error) {
    await keeper[Symbol.asyncDispose]();
    throw error;
  }
}

export class S3Server extends Component implements AsyncDisposable {
  readonly url: URL;
  readonly credentials: Credentials;
  readonly #keeper: Keeper;
  readonly #connections = new Agent();

  constructor(keeper: Keeper, port: number, directory: string, credentials: Credentials) {
    super(keeper, {
      name: 's3-server',
      program: join(builtByGo({ name: 's3-server', module: 'github.com/versity/versitygw' }), 'versitygw'),
      args: [...flags(port, credentials), `--iam-dir=${join(keeper.directory, ACCOUNTS)}`, 'posix', directory],
      ready: async () => (await this.request({ method: 'GET', path: '/' })).status === 200,
    });
    this.url = new URL(`http://127.0.0.1:${port}`);
    this.credentials = credentials;
    this.#keeper = keeper;
  }

  /** One signed request, and whatever is answered. */
  async request({ method, path, query = {}, headers = {}, body = '', ...as }: S3Request): Promise<S3Answer> {
    const { host, origin } = new URL(as.via ?? this.url);
    const sent = { method, host, path: encodedPath(path), query: encodedQuery(query), headers, body };
    const { statusCode, ...answer } = await this.#connections.request({
      origin,
      path: sent.query ? `${sent.path}?${sent.query}` : sent.path,
      method,
      headers: signedHeaders(sent, as.credentials ?? this.credentials, new Date()),
      body: body === '' ? null : body,
    });
    return { status: statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper[Symbol.asyncDispose]();
    await this.#connections.destroy();
  }
}

const flags = (port: number, { accessKey, secretKey, region }: Credentials): readonly string[] => [
  `--port=127.0.0.1:${port}`,
  `--access=${accessKey}`,
  `--secret=${secretKey}`,
  `--region=${region}`,
  '--keep-alive',
];

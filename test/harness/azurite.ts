/** A server of Azure Blob Storage for one test: Azurite, which `make azurite` installs, over files in a directory of its own. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Agent } from 'undici';
import { Component } from './component.ts';
import { Keeper } from './keeper.ts';
import { freePort } from './loopback.ts';
import type { S3Answer } from './s3-server.ts';
import { type Account, sharedKeyHeaders } from './shared-key.ts';
import { encodedPath, encodedQuery } from './sigv4.ts';

export interface AzureRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** `/container/key`, as people write it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

const ACCOUNT: Account = { name: 'holdfast', key: Buffer.from('a secret of tests').toString('base64') };
const RECIPE = resolve(import.meta.dirname, '../../tools/azurite');

/** Ready to be used when it resolves; nothing of it is left once it is disposed of. */
export async function startAzurite(): Promise<Azurite> {
  const keeper = await Keeper.start();
  try {
    const server = new Azurite(keeper, await freePort());
    await server.start();
    return server;
  } catch (error) {
    await keeper[Symbol.asyncDispose]();
    throw error;
  }
}

export class Azurite extends Component implements AsyncDisposable {
  /** With the account as its path. */
  readonly url: URL;
  readonly account = ACCOUNT;
  readonly #keeper: Keeper;
  readonly #connections = new Agent();

  constructor(keeper: Keeper, port: number) {
    super(keeper, {
      name: 'azurite',
      program: '/usr/bin/env',
      args: [
        `AZURITE_ACCOUNTS=${ACCOUNT.name}:${ACCOUNT.key}`,
        process.execPath,
        program(),
        ...flags(port, keeper.directory),
      ],
      ready: async () => (await this.request({ method: 'GET', path: '/', query: { comp: 'list' } })).status === 200,
    });
    this.url = new URL(`http://127.0.0.1:${port}/${ACCOUNT.name}`);
    this.#keeper = keeper;
  }

  /** One signed request, and whatever is answered. */
  async request({ method, path, query = {}, headers = {}, body = '' }: AzureRequest): Promise<S3Answer> {
    const sent = `${this.url.pathname}${encodedPath(path)}`;
    const signed = { method, path: sent, query, headers, length: Buffer.byteLength(body) };
    const { statusCode, ...answer } = await this.#connections.request({
      origin: this.url.origin,
      path: Object.keys(query).length > 0 ? `${sent}?${encodedQuery(query)}` : sent,
      method,
      headers: sharedKeyHeaders(signed, ACCOUNT, new Date()),
      body: body === '' ? null : body,
    });
    return { status: statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  async makeContainer(name: string): Promise<void> {
    const { status, text } = await this.request({ method: 'PUT', path: `/${name}`, query: { restype: 'container' } });
    if (status !== 201) throw new Error(`container ${name} was not made: ${status} ${text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper[Symbol.asyncDispose]();
    await this.#connections.destroy();
  }
}

const flags = (port: number, directory: string): readonly string[] => [
  '--blobHost=127.0.0.1',
  `--blobPort=${port}`,
  `--location=${directory}`,
  '--disableTelemetry',
  '--skipApiVersionCheck',
  '--silent',
];

/** Never installs: that takes a minute and belongs to make, not to a test's time limit. */
function program(): string {
  const digest = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json', 'build.sh']) digest.update(readFileSync(join(RECIPE, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const directory = join(cache, 'holdfast/azurite', digest.digest('hex').slice(0, 8));
  if (!existsSync(join(directory, 'done'))) throw new Error(`no azurite in ${directory}: run \`make azurite\` first`);
  return join(directory, 'node_modules/azurite/dist/src/blob/main.js');
}

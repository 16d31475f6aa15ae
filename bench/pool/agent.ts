/** The storage agent as a pool runs it: the bundle in a process of its own, with a token. */
import { appendFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentStatus, DecommissionOrder, Peer } from '../../src/pool-client/protocol.ts';
import { BUILT } from '../../test/harness/built.ts';
import { eventually } from '../../test/harness/wait.ts';
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import type { Limits } from '../measure/cgroup.ts';
import { Child } from './child.ts';
import type { Dialect } from './dialect.ts';
import { HttpClient } from './http.ts';

/** What a pool gives the container of an agent. */
export const CONTAINER: Limits = { memoryBytes: 100e6, cpuMillis: 100 };

const TOKEN = 'the-token-of-the-pool';
const HEADERS = { authorization: `Bearer ${TOKEN}` };

/** With a tenth of a core it takes its time. */
const START_MS = 120_000;

type Program = readonly [string, ...string[]];

/** With the flags that the bundle asks for in its first line. */
const PROGRAM: Program = [process.execPath, ...NODE_FLAGS, BUILT];

export interface AgentOptions {
  /** It has a directory of its name in it. */
  readonly directory: string;
  readonly name: string;
  readonly program?: Program;
  /** The whole line is to be run by this one, as in a cgroup. */
  readonly within?: (program: string, args: readonly string[]) => Program;
}

export class Agent implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** What each request to it must carry. */
  readonly headers = HEADERS;
  readonly process: Child;
  /** The file with what it has said so far, for other processes to wait for a line without asking the agent. */
  readonly log: string;
  readonly #client: HttpClient;

  private constructor(name: string, url: string, process: Child, log: string) {
    this.name = name;
    this.url = url;
    this.process = process;
    this.log = log;
    this.#client = new HttpClient(url);
  }

  static async start({ directory, name, program = PROGRAM, within }: AgentOptions): Promise<Agent> {
    const path = join(directory, name);
    const tokenFile = join(directory, `${name}.token`);
    const log = join(directory, `${name}.log`);
    await mkdir(path);
    await writeFile(tokenFile, TOKEN);
    const flags = ['--path', path, '--name', name, '--token-file', tokenFile, '--listen', '127.0.0.1:0'];
    const [first, ...rest] = program;
    const args = [...rest, 'storage-agent', ...flags, '--log-format', 'json'];
    const env = { ...process.env, HOME: directory }; // that of those beside it
    const line: Program = within ? within(first, args) : [first, ...args];
    const child = new Child(line, { env }, (said) => appendFileSync(log, `${said}\n`));
    try {
      const port = await child.says(/listens on 127\.0\.0\.1:(\d+)/);
      const agent = new Agent(name, `http://127.0.0.1:${port}`, child, log);
      await eventually(async () => (await agent.status()).state === 'Ready', {
        timeout: START_MS,
        for: `${name} to be ready`,
      });
      return agent;
    } catch (error) {
      await child[Symbol.asyncDispose]();
      throw error;
    }
  }

  get dialect(): Dialect {
    return { is: 'plain', url: this.url, prefix: '/blobs/', headers: this.headers };
  }

  get peer(): Peer {
    return { name: this.name, url: this.url };
  }

  status(): Promise<AgentStatus> {
    return this.#client.json({ method: 'GET', path: '/status', headers: HEADERS });
  }

  async decommission(order: DecommissionOrder): Promise<void> {
    const body = JSON.stringify(order);
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) };
    await this.#client.read({ method: 'PUT', path: '/manage-agent/decommission', headers, body }, 200);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.process[Symbol.asyncDispose]();
  }
}

/** Storage agents as processes of their own, on ports of loopback, which may be killed at any instant and started anew on what they left. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { PoolClient } from '../../../src/pool-client/client.ts';
import type { AgentStatus, DecommissionOrder, Peer } from '../../../src/pool-client/protocol.ts';
import { NODE_FLAGS } from '../../../tools/bundle/pack.ts';
import { BUILT } from '../../harness/built.ts';
import { freePort } from '../../harness/loopback.ts';
import { eventually } from '../../harness/wait.ts';

const TOKEN = 'the-token-of-the-pool';

export class AgentProcess {
  readonly peer: Peer;
  readonly path: string;
  readonly #flags: readonly string[];
  #process: ChildProcess | undefined;
  #stderr: Promise<string> = Promise.resolve('');

  constructor(peer: Peer, path: string, flags: readonly string[]) {
    this.peer = peer;
    this.path = path;
    this.#flags = flags;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { host } = new URL(this.peer.url);
    const args = ['storage-agent', '--path', this.path, '--listen', host, '--name', this.peer.name, ...this.#flags];
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [...NODE_FLAGS, BUILT, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH, HOME },
    });
    this.#process = child;
    this.#stderr = text(child.stderr);
    await eventually(async () => this.#isUp(child), { for: `${this.peer.name} to answer` });
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async status(): Promise<AgentStatus> {
    const { body } = await request(`${this.peer.url}/status`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return (await body.json()) as AgentStatus;
  }

  async decommission(order: DecommissionOrder): Promise<void> {
    await this.#order('decommission', order);
  }

  async recommission(generation: number): Promise<void> {
    await this.#order('recommission', { generation });
  }

  async #order(what: string, order: object): Promise<void> {
    const { statusCode, body } = await request(`${this.peer.url}/manage-agent/${what}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(order),
    });
    const said = await body.text();
    if (statusCode !== 200) throw new Error(`${this.peer.name} answered ${statusCode}: ${said}`);
  }

  async #isUp(child: ChildProcess): Promise<boolean> {
    if (child.exitCode !== null) throw new Error(`${this.peer.name} has ended: ${await this.#stderr}`);
    const { statusCode, body } = await request(`${this.peer.url}/readyz`);
    await body.dump();
    return statusCode === 200;
  }
}

export interface Pool extends AsyncDisposable {
  readonly agents: readonly AgentProcess[];
  readonly tokenFile: string;
  client(...agents: readonly AgentProcess[]): PoolClient;
}

/** Flags are for each of them. */
export async function startPool(directory: string, names: readonly string[], ...flags: string[]): Promise<Pool> {
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, TOKEN);
  const agents = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      await mkdir(path);
      const peer = { name, url: `http://127.0.0.1:${await freePort()}` };
      return new AgentProcess(peer, path, ['--token-file', tokenFile, '--log-level', 'error', ...flags]);
    }),
  );
  for (const agent of agents) await agent.start();
  return {
    agents,
    tokenFile,
    client: (...some) => {
      const peers = (some.length > 0 ? some : agents).map(({ peer }) => peer);
      return new PoolClient({ agents: async () => peers, token: TOKEN, patienceMs: 60_000 });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(agents.map((agent) => agent.kill()));
    },
  };
}

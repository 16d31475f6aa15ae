/** A storage agent in a process of its own, as it is shipped, that can be killed at any moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { NODE_FLAGS } from '../../../tools/bundle/pack.ts';
import { BUILT } from '../../harness/built.ts';

const { PATH, HOME } = process.env;

export interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, [...NODE_FLAGS, BUILT, 'storage-agent', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH, HOME, ...env },
  });

/** Runs one that is expected to end by itself. */
export async function runAgentProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = start(args, env);
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stderr };
}

export interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

export class AgentProcess implements AsyncDisposable {
  readonly #child: ReturnType<typeof start>;
  readonly #exited: Promise<unknown>;
  readonly port: number;

  private constructor(child: ReturnType<typeof start>, exited: Promise<unknown>, port: number) {
    this.#child = child;
    this.#exited = exited;
    this.port = port;
  }

  /** Resolves when it listens, on a port that was free. */
  static async start(path: string, ...flags: readonly string[]): Promise<AgentProcess> {
    const child = start(['--path', path, '--listen', '127.0.0.1:0', '--log-format', 'json', ...flags]);
    const exited = once(child, 'exit');
    const said: string[] = [];
    const port = await new Promise<number>((resolve, reject) => {
      createInterface(child.stderr).on('line', (line) => {
        said.push(line);
        const found = /listens on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
        if (found) resolve(Number(found));
      });
      void exited.then(() => reject(new Error(`the agent did not start: ${said.join('\n')}`)));
    });
    return new AgentProcess(child, exited, port);
  }

  /** `kill -9`, and until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#exited;
    return this.#child.exitCode;
  }

  ask(method: string, path: string, body: Buffer | string = '', headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false });
      request.on('error', reject);
      request.on('response', (response) => {
        buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, bytes }), reject);
      });
      request.end(body);
    });
  }

  async json(path: string): Promise<Record<string, unknown>> {
    return JSON.parse((await this.ask('GET', path)).bytes.toString());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

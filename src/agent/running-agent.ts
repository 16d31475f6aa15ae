/** An agent for tests: all of it, in this process, on a directory of its own and on virtual time. */
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { BindAddress } from '../kit/observe/bind-address.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { Layout } from './layout.ts';
import { type AgentOptions, runAgent } from './run.ts';
import { aVolume, dropVolume } from './test-volume.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Asked {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer | string;
}

export class RunningAgent implements AsyncDisposable {
  readonly layout: Layout;
  readonly clock: VirtualClock;
  readonly log: RecordingLog;
  readonly port: number;
  readonly #stop: AbortController;
  readonly #ended: Promise<void>;

  private constructor(
    path: string,
    clock: VirtualClock,
    log: RecordingLog,
    port: number,
    stop: AbortController,
    ended: Promise<void>,
  ) {
    this.layout = new Layout(path);
    this.clock = clock;
    this.log = log;
    this.port = port;
    this.#stop = stop;
    this.#ended = ended;
  }

  /** On the volume that is given, or on one of its own. */
  static async start(options: Partial<AgentOptions> = {}): Promise<RunningAgent> {
    const clock = new VirtualClock();
    const log = new RecordingLog();
    const stop = new AbortController();
    const path = options.path ?? aVolume().root;
    const listening = Promise.withResolvers<BindAddress>();
    const ended = runAgent(
      {
        name: 'agent-0',
        path,
        address: { host: '127.0.0.1', port: 0 },
        clock,
        random: Math.random,
        log,
        openStatus: false,
        mostConnections: 64,
        mostBytes: 64 * 1024 * 1024,
        onListening: listening.resolve,
        ...options,
      },
      stop.signal,
    );
    const { port } = await Promise.race([listening.promise, ended.then(() => listening.promise)]);
    const agent = new RunningAgent(path, clock, log, port, stop, ended);
    await log.said('the blobs are counted');
    return agent;
  }

  ask(method: string, path: string, { headers = {}, body }: Asked = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false });
      request.on('error', reject);
      request.on('response', async (response) => {
        try {
          const bytes = await buffer(response);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
        } catch (error) {
          reject(error);
        }
      });
      request.end(body);
    });
  }

  /** A connection on which a test says what it likes. */
  connect(): Socket {
    return connect(this.port, '127.0.0.1');
  }

  async stop(): Promise<void> {
    let isOver = false;
    const over = this.#ended.finally(() => {
      isOver = true;
    });
    this.#stop.abort();
    while (!isOver) await this.clock.advance(100); // who is still connected is waited for a while
    await over;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    dropVolume(this.layout);
  }
}

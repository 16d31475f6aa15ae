/** The program itself in a process of its own, with what it says and how it ends: as it is shipped, or `bin/holdfast` of the checkout. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { BUILT } from './built.ts';
import { kubeconfig } from './kubeconfig.ts';
import { eventually } from './wait.ts';

type Program = readonly [string, ...string[]];

const PROGRAM: Program = [process.execPath, ...NODE_FLAGS, BUILT];
const FROM_SOURCE = join(import.meta.dirname, '../../bin/holdfast');

/** Each job has the flag of the program that it replaces. */
const METRICS_FLAG = '--metrics-bind-address';
const METRICS_FLAGS: Readonly<Record<string, string>> = { devices: '--metrics-addr' };

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command that ends by itself. */
export const runHoldfast = (...args: readonly string[]): Promise<Ended> => runHoldfastIn({}, ...args);

/** The same, with more in its environment. */
export async function runHoldfastIn(env: Environment, ...args: readonly string[]): Promise<Ended> {
  const { stdout, stderr, ...child } = start(PROGRAM, args, env);
  const [out, err, code] = await Promise.all([text(stdout), text(stderr), child.exited]);
  return { code: typeof code === 'number' ? code : null, stdout: out, stderr: err };
}

/** Starts a job that serves its pages on a port of its own and runs until it is told to stop. */
export const startHoldfast = (job: string, ...flags: readonly string[]): Promise<Holdfast> =>
  startHoldfastIn({}, job, ...flags);

/** The same, with more in its environment. */
export async function startHoldfastIn(env: Environment, job: string, ...flags: readonly string[]): Promise<Holdfast> {
  const listen = `127.0.0.1:${await freePort()}`;
  return new Holdfast(PROGRAM, [job, METRICS_FLAGS[job] ?? METRICS_FLAG, listen, ...flags], `http://${listen}`, env);
}

/** Starts the program under the name of one that it replaces, which a link in the directory gives it. */
export async function startOriginal(name: string, directory: string, ...flags: readonly string[]): Promise<Holdfast> {
  const listen = `127.0.0.1:${await freePort()}`;
  await symlink(FROM_SOURCE, join(directory, name));
  return new Holdfast([join(directory, name)], ['--metrics-bind-address', listen, ...flags], `http://${listen}`);
}

export class Holdfast implements AsyncDisposable {
  /** The lines of its log; words that it says outside of it are in `msg`. */
  readonly logged: Readonly<Record<string, unknown>>[] = [];
  readonly #url: string;
  readonly #child: ReturnType<typeof start>;

  constructor(program: Program, args: readonly string[], url: string, more: Environment = {}) {
    this.#url = url;
    this.#child = start(program, args, more);
    this.#child.stdout.resume();
    createInterface(this.#child.stderr).on('line', (line) => this.logged.push(asRecord(line)));
  }

  /** The code or the signal that it ended with. */
  ended(): Promise<number | string> {
    return this.#child.exited;
  }

  send(signal: NodeJS.Signals): void {
    this.#child.process.kill(signal);
  }

  async page(path: string): Promise<{ status: number; text: string }> {
    const { statusCode, body } = await request(this.#url + path);
    return { status: statusCode, text: await body.text() };
  }

  async ready(): Promise<void> {
    await eventually(async () => (await this.page('/readyz')).status === 200, { for: 'holdfast to be ready' });
  }

  /** The sum of a metric over all its labels, or over those that match. */
  async metric(name: string, labels = /.*/): Promise<number> {
    const lines = (await this.page('/metrics')).text.split('\n').map((line) => line.match(/^(\w+)(\{.*\})? (\S+)$/));
    const values = lines.flatMap((line) => (line?.[1] === name && labels.test(line[2] ?? '') ? [Number(line[3])] : []));
    if (values.length === 0) throw new Error(`there is no metric ${name} with labels like ${labels}`);
    return values.reduce((sum, value) => sum + value, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.send('SIGKILL');
    await this.ended();
  }
}

/** Who may use a server, by a token: the harness's service accounts are this. */
interface TokenHolder {
  readonly token: string;
  readonly identity: { readonly namespace: string; readonly name: string };
}

/** Writes a kubeconfig for the account into a directory, and gives the flag that names it. */
export async function kubeconfigFlag(
  directory: string,
  { token, identity: { namespace, name } }: TokenHolder,
  { url, ca }: { readonly url: string; readonly ca: string },
): Promise<string> {
  const file = join(directory, `${namespace}-${name}.kubeconfig`);
  await writeFile(file, kubeconfig({ url, ca, token, namespace }));
  return `--kubeconfig=${file}`;
}

/** Where Node.js keeps what it has made of the sources: half of what a start costs. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compile');

/** Nothing of the tester's own configuration is handed on. */
function start([program, ...first]: Program, args: readonly string[], more: Environment) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...more };
  const child = spawn(program, [...first, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  return { process: child, stdout: child.stdout, stderr: child.stderr, exited: exitOf(child) };
}

async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

const asRecord = (line: string): Record<string, unknown> => (line.startsWith('{') ? JSON.parse(line) : { msg: line });

const FIRST_PORT = 10_000;
const PORTS = 9_000;

/** Below those of the API servers, and of the range that outgoing connections draw from. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

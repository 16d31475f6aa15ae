/** `holdfast sandbox` in a process of its own, and kubectl to talk to it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { controlPlaneBinaries } from './binaries.ts';
import { BUILT } from './built.ts';

export interface Sandbox extends AsyncDisposable {
  readonly kubeconfig: string;
  /** What it said when it was ready. */
  readonly said: string;
  /** Runs kubectl on it. Throws a `KubectlFailed` when that fails. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** The same, with something on its standard input. */
  kubectlWith(input: string, ...args: readonly string[]): Promise<string>;
  /** Starts one that goes on until it is disposed of. */
  startKubectl(...args: readonly string[]): RunningKubectl;
}

export interface RunningKubectl extends AsyncDisposable {
  /** What it says next. */
  line(): Promise<string>;
}

class KubectlFailed extends Error {
  readonly stdout: string;
  readonly code: unknown;

  constructor(message: string, { stdout, code }: { readonly stdout: string; readonly code: unknown }) {
    super(message);
    this.stdout = stdout;
    this.code = code;
  }
}

const LAST_LINE = /^Stop it/;

export async function startSandbox(): Promise<Sandbox> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const child = spawn(process.execPath, [BUILT, 'sandbox', '--kubeconfig-out', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (LAST_LINE.test(line)) break;
  }
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: directory };
  const run = (input: string, args: readonly string[]) => runKubectl(env, input, args);
  return {
    kubeconfig,
    said: lines.join('\n'),
    kubectl: (...args) => run('', args),
    kubectlWith: (input, ...args) => run(input, args),
    startKubectl: (...args) => startKubectl(env, args),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const kubectl = () => join(controlPlaneBinaries(), 'kubectl');

async function runKubectl(env: NodeJS.ProcessEnv, input: string, args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile(kubectl(), args, { env }, (error, stdout, stderr) => {
    const told = error && `kubectl ${args.join(' ')}: ${stderr || error.message}`;
    if (told) reject(new KubectlFailed(told, { stdout, code: error.code }));
    else resolve(stdout);
  });
  child.stdin?.end(input);
  return promise;
}

function startKubectl(env: NodeJS.ProcessEnv, args: readonly string[]): RunningKubectl {
  const child = spawn(kubectl(), args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`kubectl ${args.join(' ')} has ended`);
      return value;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      if (child.kill('SIGTERM')) await ended;
    },
  };
}

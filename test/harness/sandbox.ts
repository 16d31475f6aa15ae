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
  /** Runs kubectl on it. Throws when that fails. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** The same, with something on its standard input. */
  kubectlWith(input: string, ...args: readonly string[]): Promise<string>;
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
  const run = (input: string, args: readonly string[]) => runKubectl(kubeconfig, directory, input, args);
  return {
    kubeconfig,
    said: lines.join('\n'),
    kubectl: (...args) => run('', args),
    kubectlWith: (input, ...args) => run(input, args),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function runKubectl(kubeconfig: string, home: string, input: string, args: readonly string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home };
  const child = execFile(join(controlPlaneBinaries(), 'kubectl'), args, { env }, (error, stdout, stderr) => {
    if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr || error.message}`));
    else resolve(stdout);
  });
  child.stdin?.end(input);
  return promise;
}

/** A job as a container runs it: the bundle, in a process of its own, on a Node.js of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { bundle } from '../../tools/bundle.ts';
import type { Cgroup } from '../measure/cgroup.ts';

export interface JobOptions {
  readonly plane: ControlPlane;
  readonly name: 'topology' | 'devices' | 'sync';
  readonly flags?: readonly string[];
  /** More of the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it is told of the cluster as a pod is; otherwise by a kubeconfig. */
  readonly inPod?: boolean;
  readonly cgroup?: Cgroup;
}

/** Where each is told to serve its metrics. */
const METRICS_FLAG = {
  topology: '--metrics-bind-address',
  devices: '--metrics-addr',
  sync: '--metrics-bind-address',
};

const LAST_LINES = 5;

export class Job implements AsyncDisposable {
  readonly #url: string;
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #directory: string;
  /** It must not outlive us, also when a benchmark fails. */
  readonly #kill = () => this.#process.kill('SIGKILL');
  #lastLines: readonly string[] = [];

  private constructor(child: ChildProcess, directory: string, url: string) {
    this.#process = child;
    this.#exited = once(child, 'exit');
    this.#directory = directory;
    this.#url = url;
    process.once('exit', this.#kill);
    if (child.stderr) createInterface(child.stderr).on('line', (line) => this.#hear(line));
  }

  static async start({ plane, name, flags = [], environment, inPod = false, cgroup }: JobOptions): Promise<Job> {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    const program = await install(directory);
    const address = `127.0.0.1:${await freePort()}`;
    const args = [program, name, METRICS_FLAG[name], address, ...flags];
    const line: readonly [string, ...string[]] = inPod
      ? ['unshare', '--mount', 'sh', '-c', AS_IN_A_POD, 'sh', secretsOf(plane, directory), ...args]
      : ['env', ...args, '--kubeconfig', plane.kubeconfig];
    const [command, ...rest] = cgroup ? cgroup.commandFor(line[0], line.slice(1)) : line;
    const { hostname, port } = new URL(plane.url);
    const service = inPod && { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const env = { HOME: directory, PATH: `${directory}:${process.env.PATH}`, ...environment, ...service };
    return new Job(spawn(command, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] }), directory, `http://${address}`);
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** User and system time so far, counted in ticks of 10 ms; not a number when it has ended. */
  cpuSeconds(): number {
    if (!this.isRunning) return Number.NaN;
    const fields = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** The most that was resident at any moment: its own memory, and the pages of its program. */
  peakMb(): number {
    return this.#statusMb('VmHWM');
  }

  /** Its own memory, as it is now. */
  ownMb(): number {
    return this.#statusMb('RssAnon');
  }

  /** How often it has looked at a volume, as its own metrics tell; not a number when it has ended. */
  reconciles(): Promise<number> {
    return this.counted('controller_runtime_reconcile_total');
  }

  /** The sum of one of its own counters over all labels, or over those that have this among them; not a number when it has ended. */
  async counted(name: string, label = ''): Promise<number> {
    if (!this.isRunning) return Number.NaN;
    const { body } = await request(`${this.#url}/metrics`);
    const counts = (await body.text()).matchAll(new RegExp(`^${name}\\{(?<labels>.*)\\} (?<count>\\S+)$`, 'gm'));
    return counts
      .filter(({ groups }) => groups?.labels?.includes(label))
      .reduce((sum, { groups }) => sum + Number(groups?.count), 0);
  }

  lastWords(): string {
    return this.#lastLines.join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#kill);
    this.#kill();
    await this.#exited;
    rmSync(this.#directory, { recursive: true });
  }

  #statusMb(field: string): number {
    if (!this.isRunning) return Number.NaN;
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return (Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  }

  /** As a container's runtime does, it takes every line from a pipe. */
  #hear(line: string): void {
    this.#lastLines = [...this.#lastLines, line].slice(-LAST_LINES);
  }
}

/** Puts the files of the service account where every pod has them, in a mount namespace that ends with the process. */
const AS_IN_A_POD =
  'mount -t tmpfs holdfast /run && mkdir -p /run/secrets/kubernetes.io && ' +
  'cp -r "$1" /run/secrets/kubernetes.io/serviceaccount && shift && exec "$@"';

function secretsOf({ ca, adminToken }: ControlPlane, directory: string): string {
  const secrets = join(directory, 'serviceaccount');
  mkdirSync(secrets);
  for (const [name, text] of Object.entries({ 'ca.crt': ca, token: adminToken, namespace: 'default' })) {
    writeFileSync(join(secrets, name), text);
  }
  return secrets;
}

/**
 * The bundle starts the `node` that it finds first, with the flags that it asks for. That one is a copy which nobody has used: the kernel
 * charges the pages of a file to the cgroup that reads them first, so those of a Node.js that others run would look like none.
 */
async function install(directory: string): Promise<string> {
  const program = join(directory, 'holdfast.mjs');
  const node = join(directory, 'node');
  await bundle({ outfile: program });
  copyFileSync(process.execPath, node);
  execFileSync('dd', [`of=${node}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none']);
  return program;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** `holdfast demo --no-story` as a process of its own, with its console and its clusters. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent, fetch } from 'undici';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: readonly [{ user: { token: string } }];
}

export class DemoProcess implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(url: string, child: ChildProcess, directory: string) {
    this.url = url;
    this.#child = child;
    this.#directory = directory;
  }

  static async open(port = 0): Promise<DemoProcess> {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    const args = [
      'demo',
      '--no-story',
      '--console-port',
      `${port}`,
      '--kubeconfig-out',
      join(directory, 'kubeconfigs'),
    ];
    const child = spawn(process.execPath, [join(root, 'src/main.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, TMPDIR: directory },
    });
    let url = '';
    for await (const line of createInterface(child.stdout)) {
      url ||= /The console is at (\S+)/.exec(line)?.[1] ?? '';
      if (line.startsWith('Both clusters stay')) break;
    }
    if (url === '') throw new Error('the demo did not say where its console is');
    return new DemoProcess(url, child, directory);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Makes an object in one of the clusters, as a person with kubectl would. */
  async create(cluster: 'protected' | 'recovery', path: string, object: object): Promise<void> {
    const file = join(this.#directory, 'kubeconfigs', `${cluster}.yaml`);
    const { clusters, users } = parse(await readFile(file, 'utf8')) as Kubeconfig;
    const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
    const response = await fetch(`${server}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${users[0].user.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(object),
      dispatcher: new Agent({ connect: { ca: Buffer.from(ca, 'base64') } }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = this.#child.exitCode === null ? once(this.#child, 'exit') : undefined;
    this.#child.kill('SIGINT');
    await exited;
    await rm(this.#directory, { recursive: true, force: true });
  }
}

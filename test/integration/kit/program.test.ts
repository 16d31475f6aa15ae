import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { kubeconfig } from '../../harness/kubeconfig.ts';
import { createServiceAccount, type PolicyRule } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { CONFIG_MAPS } from './connected.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const MAY_COPY: readonly PolicyRule[] = [
  { apiGroups: [''], resources: [CONFIG_MAPS.plural], verbs: ['get', 'list', 'watch', 'patch'] },
];
const MAY_TELL: readonly PolicyRule[] = [
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

let plane: ControlPlane;
let directory: string;
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  directory = await mkdtemp(join(tmpdir(), 'holdfast-sample-'));
});
afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

let port = 21_000 + Math.floor(Math.random() * 1_000);

class Sample implements AsyncDisposable {
  readonly logged: Record<string, unknown>[] = [];
  readonly url: string;
  readonly #process: ChildProcess;

  constructor(kubeconfig: string, ...flags: readonly string[]) {
    const listen = `127.0.0.1:${++port}`;
    this.url = `http://${listen}`;
    const program = join(import.meta.dirname, 'sample-operator.ts');
    const args = [program, 'sample', '--kubeconfig', kubeconfig, '-metrics-bind-address', listen, ...flags];
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] });
    const { stderr } = this.#process;
    if (stderr) createInterface(stderr).on('line', (line) => this.logged.push(asRecord(line)));
  }

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** The code or the signal that it ended with. */
  async ended(): Promise<number | string | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'exit');
    return this.#process.signalCode ?? this.#process.exitCode;
  }

  async page(path: string): Promise<{ status: number; text: string }> {
    const { statusCode, body } = await request(this.url + path);
    return { status: statusCode, text: await body.text() };
  }

  ready = () => eventually(async () => expect(await this.page('/readyz')).toEqual({ status: 200, text: 'ok' }));

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended();
  }
}

/** A line of its log, or words that it says outside of it. */
const asRecord = (line: string): Record<string, unknown> => (line.startsWith('{') ? JSON.parse(line) : { msg: line });

/** A kubeconfig of a service account that has these rights and no other. */
async function account(name: string, rules: readonly PolicyRule[], url = plane.url): Promise<string> {
  const made = await createServiceAccount(plane, { name, namespaceRules: { default: rules } });
  const file = join(directory, `${name}.kubeconfig`);
  await writeFile(file, kubeconfig({ url, ca: plane.ca, token: made.token }));
  return file;
}

const want = (name: string, wanted: string) => plane.admin.post(PATH, { metadata: { name, annotations: { wanted } } });
const hasBeenCopied = (name: string, wanted: string) =>
  eventually(async () => expect((await plane.admin.get(`${PATH}/${name}`)).data).toEqual({ wanted }));

test('an operator does its work with exactly the rights that it was given, and shows what it does', async () => {
  await using sample = new Sample(await account('exact', [...MAY_COPY, ...MAY_TELL]));
  await want('first', 'a');
  await sample.ready();
  await want('second', 'b');
  await hasBeenCopied('first', 'a');
  await hasBeenCopied('second', 'b');
  const { text } = await sample.page('/metrics');
  expect(text).toMatch(/^controller_runtime_reconcile_total\{.*controller="sample".*\} \d+$/m);
  expect(text).toMatch(/^workqueue_adds_total\{.*\} \d+$/m);
  expect(text).toMatch(/^rest_client_requests_total\{.*code="200".*method="PATCH".*\} 2$/m);
  await eventually(async () => {
    const { items } = await plane.admin.list('/apis/events.k8s.io/v1/namespaces/default/events');
    expect(items.filter((event) => event.reason === 'Copied')).toHaveLength(2);
  });
  sample.send('SIGTERM');
  expect(await sample.ended()).toBe(0);
});

test('without the right to events it works as well, with one warning', async () => {
  await using sample = new Sample(await account('mute', MAY_COPY));
  for (let i = 0; i < 10; i++) await want(`mute-${i}`, 'x');
  for (let i = 0; i < 10; i++) await hasBeenCopied(`mute-${i}`, 'x');
  sample.send('SIGTERM');
  expect(await sample.ended()).toBe(0);
  expect(sample.logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('without the right to read what it must, it says which right is missing and is not ready', async () => {
  await using sample = new Sample(await account('blind', MAY_TELL));
  await eventually(async () => {
    const { status, text } = await sample.page('/readyz?verbose');
    expect(status).toBe(500);
    expect(text).toContain('cannot watch resource');
  });
  expect((await sample.page('/healthz')).status).toBe(200);
});

describe('the end', () => {
  test('comes after what was begun is finished', async () => {
    await using sample = new Sample(await account('slow', MAY_COPY), '--pause=1.5s');
    await sample.ready();
    await want('begun', 'x');
    await eventually(async () => {
      expect((await sample.page('/metrics')).text).toMatch(/^controller_runtime_active_workers\{.*\} 1$/m);
    });
    sample.send('SIGTERM');
    expect(await sample.ended()).toBe(0);
    expect((await plane.admin.get(`${PATH}/begun`)).data).toEqual({ wanted: 'x' });
  });

  test('comes in time also when no reconcile ever returns; that is seen before, and who has not ended is told after', async () => {
    await using sample = new Sample(await account('deaf', MAY_COPY), '--pause=1h', '--deaf', '--deadline=1s');
    await sample.ready();
    const names = ['unheard-1', 'unheard-2', 'unheard-3', 'unheard-4'];
    for (const name of names) await want(name, 'x');
    await eventually(async () => {
      const { status, text } = await sample.page('/healthz');
      expect([status, text]).toEqual([500, expect.stringContaining('all workers of sample are with keys')]);
    });
    sample.send('SIGTERM');
    const told = performance.now();
    expect(await sample.ended()).toBe(1);
    expect(sample.logged.at(-1)?.msg).toContain('sample had not ended 25 s after the stop');
    expect(performance.now() - told).toBeLessThan(60_000); // the reconcile would have taken an hour
    for (const name of names) await plane.admin.delete(`${PATH}/${name}`);
  });

  test('comes at once with the second signal', async () => {
    await using sample = new Sample(await account('hasty', MAY_COPY), '--pause=1h');
    await sample.ready();
    await want('never', 'x');
    await eventually(async () => {
      expect((await sample.page('/metrics')).text).toMatch(/^controller_runtime_active_workers\{.*\} [1-9]/m);
    });
    sample.send('SIGTERM');
    await eventually(() => sample.logged.some(({ msg }) => String(msg).startsWith('stopping')));
    sample.send('SIGTERM');
    expect(await sample.ended()).toBe(143);
    await plane.admin.delete(`${PATH}/never`);
  });
});

test('through a network that loses every tenth request before or after it arrived, all is copied all the same', async () => {
  await using proxy = await startFaultProxy(plane);
  let calls = 0;
  const everyTenth = (remainder: number) => ({ times: 10_000, where: () => ++calls % 10 === remainder });
  proxy.inject(everyTenth(3), { fault: 'lost-reply' });
  proxy.inject(everyTenth(7), { fault: 'reset' });
  await using _sample = new Sample(await account('unlucky', [...MAY_COPY, ...MAY_TELL], proxy.url));
  for (let i = 0; i < 30; i++) await want(`unlucky-${i}`, `${i}`);
  for (let i = 0; i < 30; i++) await hasBeenCopied(`unlucky-${i}`, `${i}`);
  expect(proxy.log.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(5);
});

test('of two that stand for election one works, and the other takes over when it is killed', async () => {
  const rules = [
    ...MAY_COPY,
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'watch', 'create', 'update'] },
  ];
  const config = await account('elected', rules);
  await using first = new Sample(config, '-leader-elect');
  await eventually(() => first.logged.some(({ msg }) => msg === 'leading'));
  await using second = new Sample(config, '-leader-elect');
  await second.ready();
  await want('by-the-first', 'x');
  await hasBeenCopied('by-the-first', 'x');
  expect((await second.page('/metrics')).text).toMatch(/^leader_election_master_status\{.*\} 0$/m);
  first.send('SIGKILL');
  await want('by-the-second', 'x');
  await hasBeenCopied('by-the-second', 'x');
});

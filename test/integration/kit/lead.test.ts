import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEvent } from '../../harness/audit.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';
import { aConfigMap } from './connected.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  await plane.admin.post('/api/v1/namespaces/default/configmaps', aConfigMap('written-by-the-leader'));
});
afterAll(() => plane[Symbol.asyncDispose]());

class Candidate implements AsyncDisposable {
  readonly identity: string;
  readonly said: string[] = [];
  readonly #process: ChildProcess;

  constructor(identity: string) {
    this.identity = identity;
    this.#process = spawn(process.execPath, [join(import.meta.dirname, 'candidate.ts'), plane.kubeconfig, identity], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { stdout } = this.#process;
    if (stdout) createInterface(stdout).on('line', (line) => this.said.push(line));
  }

  leads = () => eventually(() => this.said.includes('leading'));

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async ended(): Promise<void> {
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended();
  }

  /** Its requests that would change something, as the API server saw them arrive. */
  async writes(): Promise<readonly AuditEvent[]> {
    const events = await plane.auditLog();
    return events.filter(
      ({ userAgent, verb }) => userAgent === this.identity && !['get', 'list', 'watch'].includes(verb),
    );
  }
}

const arrived = (event: AuditEvent): number => Date.parse(event.requestReceivedTimestamp);
const changedSomething = ({ responseStatus }: AuditEvent): boolean => (responseStatus?.code ?? 500) < 300;
const onLease = ({ objectRef }: AuditEvent): boolean => objectRef?.resource === 'leases';

test('a leader that is stopped for longer than the lease and continued never writes beside its successor', async () => {
  await using first = new Candidate('first');
  await first.leads();
  await using second = new Candidate('second');
  await eventually(async () => expect((await first.writes()).length).toBeGreaterThan(50));
  first.send('SIGSTOP');
  await second.leads();
  await eventually(async () => expect((await second.writes()).length).toBeGreaterThan(50));
  const continued = Date.now();
  first.send('SIGCONT');
  await first.ended();
  expect(first.said).toEqual(['leading', 'lost']);

  const taken = (await second.writes()).filter(onLease).find(changedSomething);
  if (!taken) throw new Error('the second candidate never took the lease, and yet led');
  const writesOfFirst = await first.writes();
  expect(writesOfFirst.filter((event) => arrived(event) > arrived(taken) && changedSomething(event))).toEqual([]);
  expect(writesOfFirst.filter((event) => arrived(event) >= continued)).toEqual([]);
  const lastOfFirst = Math.max(...writesOfFirst.filter(changedSomething).map(arrived));
  const firstOfSecond = Math.min(...(await second.writes()).filter(changedSomething).map(arrived));
  expect(lastOfFirst).toBeLessThan(firstOfSecond);
});

test('a leader that ends gives the lease back, so that the next need not wait for it to run out', async () => {
  await using first = new Candidate('orderly');
  await first.leads();
  await using second = new Candidate('patient');
  await eventually(async () => {
    const events = await plane.auditLog();
    expect(events.some(({ userAgent }) => userAgent === 'patient')).toBe(true);
  });
  first.send('SIGTERM');
  await first.ended();
  expect(first.said).toEqual(['leading', 'done']);
  const released = (await first.writes()).filter(onLease).at(-1);
  await second.leads();
  const taken = (await second.writes()).filter(onLease).find(changedSomething);
  if (!released || !taken) throw new Error('the lease was not handed over');
  // It is told; waiting for the lease to run out would have taken 3 s from when it last saw it change.
  const reads = (await plane.auditLog()).filter(
    (event) => event.userAgent === 'patient' && event.verb === 'get' && arrived(event) > arrived(released),
  );
  expect(reads.filter((event) => arrived(event) < arrived(taken))).toHaveLength(1);
});

/** `holdfast demo`, as it is shipped: the story is true, and nothing is left behind. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { controlPlaneBinaries } from '../../harness/binaries.ts';
import { BUILT } from '../../harness/built.ts';
import { runHoldfastIn } from '../../harness/holdfast.ts';

const run = promisify(execFile);

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});
afterEach(() => rm(temporary, { recursive: true, force: true }));

test('the story is played to its end, and all that it claims is so', { timeout: 300_000 }, async () => {
  const { code, stdout, stderr } = await runHoldfastIn({ TMPDIR: temporary }, 'demo', '--once', '--speed=8');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const chapters = stdout.split('\n').filter((line) => /^\d+\. /.test(line));
  expect(chapters).toHaveLength(5);
  for (const claim of [
    /its volume carries zone-[abc]/,
    /not a byte of it is left on the disk/,
    /refused: .*mounted/,
    /ledger has grown to 2 GiB while it was in use, with its data/,
    /were seen empty before they went/,
    /exported to an object store, with a manifest/,
    /gone: no API server, and no jobs/,
    /all 60 blobs are there, byte for byte/,
    /its claims are bound to their own volumes in the recovery cluster, and stay so/,
  ])
    expect(stdout).toMatch(claim);
  for (const view of ['volumes/pvc-', 'nodes/node-a2', 'nodes/node-b2', 'pools/default/blobs', 'sync/site'])
    expect(stdout).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+/#/${view}`));
  expect(stdout).not.toContain('\u001b');
  expect(await readdir(temporary)).toEqual([]);
});

/** Resolves when a line that matches has been told; rejects when it ends before. */
async function told(child: ChildProcess, wanted: RegExp): Promise<string> {
  for await (const line of createInterface(child.stdout as Readable)) if (wanted.test(line)) return line;
  throw new Error(`${wanted} was not told`);
}

/** With no more than it needs, and its directory below ours. */
const start = (...args: readonly string[]) =>
  spawn(process.execPath, [BUILT, 'demo', '--speed=8', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, TMPDIR: temporary },
  });

test.each(['SIGINT', 'SIGHUP'] as const)(
  '%s in the middle of the story ends it well, and nothing is left',
  async (signal) => {
    const child = start();
    const exited = once(child, 'exit');
    const line = await told(child, /^ +kubectl --kubeconfig \S+protected\.yaml /);
    child.stdout.resume();
    expect(await readdir(temporary)).toHaveLength(1);
    child.kill(signal);
    expect([await exited, line]).toEqual([[0, null], expect.any(String)]);
    expect(await readdir(temporary)).toEqual([]);
  },
);

test('a story that nobody reads to its end is not true, and nothing is left of it', async () => {
  const child = start('--once');
  const exited = once(child, 'exit');
  const complaint = text(child.stderr);
  await told(child, /^1\. /);
  child.stdout.destroy();
  expect(await exited).toEqual([1, null]);
  expect(await complaint).toContain('nobody reads what it tells any more');
  expect(await readdir(temporary)).toEqual([]);
});

const KUBECTL_CACHE = '.kube';

/** A real terminal, as util-linux makes one. */
const onATerminal = (...args: readonly string[]) =>
  spawn('script', ['-qec', ['exec', process.execPath, BUILT, 'demo', ...args].join(' '), '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, TMPDIR: temporary, TERM: 'xterm' },
  });

test('the lines to try work while somebody can try them', { timeout: 300_000 }, async () => {
  const child = onATerminal('--speed=8');
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(stripVTControlCharacters(line).trim());
    if (line.includes('when you press Enter')) await tried(lines.splice(0), 'protected');
    if (line.includes('when you press Enter')) child.stdin.write('\n');
    if (line.includes('The recovery cluster stays')) break;
  }
  await tried(lines, 'recovery');
  child.stdout.resume();
  child.stdin.write('\u0003'); // Ctrl-C
  expect(await exited).toEqual([0, null]);
  expect((await readdir(temporary)).filter((name) => name !== KUBECTL_CACHE)).toEqual([]);
});

/** Each line that was printed to be tried has something to show. */
async function tried(lines: readonly string[], cluster: string): Promise<void> {
  const toTry = lines.filter((line) => line.startsWith('kubectl ') || line.startsWith('holdfast '));
  expect(toTry.length).toBeGreaterThan(0);
  for (const line of toTry) {
    expect(line).toContain(`${cluster}.yaml`);
    const command = line.replace(/^holdfast /, `${process.execPath} ${BUILT} `);
    const PATH = `${controlPlaneBinaries()}:${process.env.PATH}`;
    const { stdout } = await run('sh', ['-c', command], { env: { PATH, HOME: temporary } });
    expect(stdout).not.toBe('');
    // Time passes faster there, which is no trouble that a person has to look at.
    expect(stdout).not.toContain('has a clock');
  }
}

test('a story that is not to be told cannot be true', async () => {
  const { code, stderr } = await runHoldfastIn({ TMPDIR: temporary }, 'demo', '--once', '--no-story');
  expect(code).toBe(2);
  expect(stderr).toContain('leave --no-story out');
});

test('without a story both clusters are there until Ctrl-C, on other ports if these are taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const kubeconfigs = join(temporary, 'kubeconfigs');
  const args = ['demo', '--no-story', '--port', `${port}`, '--kubeconfig-out', kubeconfigs];
  const child = spawn(process.execPath, [BUILT, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, TMPDIR: temporary },
  });
  let console = '';
  for await (const line of createInterface(child.stdout)) {
    console ||= /^The console is at (\S+)$/.exec(line)?.[1] ?? '';
    if (line.startsWith('Both clusters stay')) break;
  }
  expect(await (await fetch(`${console}api/hello`)).json()).toMatchObject({
    clusters: [{ name: 'protected' }, { name: 'recovery' }],
  });
  expect((await readdir(kubeconfigs)).toSorted()).toEqual(['protected.yaml', 'recovery.yaml']);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect((await readdir(temporary)).filter((name) => name !== 'kubeconfigs')).toEqual([]);
  taken.close();
});

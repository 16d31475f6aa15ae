/** `holdfast demo` as somebody who may do nothing on this machine: it is all there, and nothing of it is left. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT } from '../../harness/built.ts';
import { freePort } from '../../harness/loopback.ts';

/** Nobody, where the tests may choose; else whoever runs them, who is not root then either. */
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? NOBODY : (process.getuid?.() ?? NOBODY);
const group = process.getuid?.() === 0 ? NOBODY : (process.getgid?.() ?? NOBODY);

/** What belongs to that user: a home, and a place for what is temporary. The program is only to be read. */
let place: string;
const home = () => join(place, 'home');
const temporary = () => join(place, 'tmp');
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  await chmod(place, 0o755);
  for (const own of [home(), temporary()]) {
    await mkdir(own);
    await chown(own, user, group);
  }
  // The checkout may be where only its owner may look.
  await copyFile(BUILT, join(place, 'holdfast.mjs'));
  await copyFile(process.execPath, join(place, 'node'));
  await chmod(join(place, 'node'), 0o755);
});
afterEach(() => rm(place, { recursive: true, force: true }));

const running = (...args: readonly string[]): readonly [string, ...string[]] => [
  join(place, 'node'),
  join(place, 'holdfast.mjs'),
  'demo',
  '--speed=8',
  ...args,
];

function start([program, ...args]: readonly [string, ...string[]]): ChildProcess {
  return spawn(program, args, {
    cwd: place,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home(), TMPDIR: temporary(), TERM: 'xterm' },
    ...(process.getuid?.() === 0 && { uid: user, gid: group }),
  });
}

/** Processes that were started here, whoever has taken them in. */
async function processesLeft(): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    ids.map(async (id) => ({ id, of: await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '') })),
  );
  return environments.filter(({ of }) => of.includes(`TMPDIR=${temporary()}`)).map(({ id }) => id);
}

async function expectNothingLeft(ports: readonly number[]): Promise<void> {
  expect(await processesLeft()).toEqual([]);
  expect([await readdir(home()), await readdir(temporary())]).toEqual([[], []]);
  for (const port of ports) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }
}

test('the story is true', { timeout: 300_000 }, async () => {
  const port = await freePort();
  const consolePort = await freePort();
  const child = start(running('--once', `--port=${port}`, `--console-port=${consolePort}`));
  child.stdin?.end();
  const exited = once(child, 'exit');
  const [told, complaints] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable)]);
  expect([complaints, await exited]).toEqual(['', [0, null]]);
  expect(told).toContain(`http://127.0.0.1:${consolePort}/`);
  expect(told).toMatch(/its claims are bound to their own volumes in the recovery cluster, and stay so/);
  await expectNothingLeft([port, consolePort]);
});

/** A real terminal, as util-linux makes one. */
const onATerminal = (command: readonly string[]): readonly [string, ...string[]] => [
  'script',
  '-qec',
  ['exec', ...command].join(' '),
  '/dev/null',
];

/** In the middle of the story, when all that it has is there. */
async function lineToTry(child: ChildProcess): Promise<void> {
  for await (const line of createInterface(child.stdout as Readable))
    if (/^ +kubectl --kubeconfig \S+protected\.yaml /.test(stripVTControlCharacters(line))) return;
  throw new Error('nothing was told to try');
}

test.each(['with', 'without'])('Ctrl-C ends it well, %s a terminal', async (terminal) => {
  const port = await freePort();
  const consolePort = await freePort();
  const command = running(`--port=${port}`, `--console-port=${consolePort}`);
  const child = start(terminal === 'with' ? onATerminal(command) : command);
  const exited = once(child, 'exit');
  await lineToTry(child);
  child.stdout?.resume();
  const [own = ''] = await readdir(temporary());
  expect((await stat(join(temporary(), own))).uid).toBe(user);
  expect(await processesLeft()).not.toEqual([]);
  if (terminal === 'with') child.stdin?.write('\u0003');
  else child.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  await expectNothingLeft([port, consolePort]);
});

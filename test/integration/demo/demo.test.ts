/** `holdfast demo`, as it is shipped: the story is true, and nothing is left behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BUILT } from '../../harness/built.ts';
import { runHoldfastIn } from '../../harness/holdfast.ts';

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
    /grown to 2 GiB while it was in use, with its data/,
    /all 60 blobs are there, byte for byte/,
    /its claims are bound to their own volumes in the recovery cluster, and stay so/,
  ])
    expect(stdout).toMatch(claim);
  for (const view of ['volumes/pvc-', 'nodes/node-a2', 'nodes/node-b2', 'pools/default/blobs', 'sync/site'])
    expect(stdout).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+/#/${view}`));
  expect(stdout).not.toContain('\u001b');
  expect(await readdir(temporary)).toEqual([]);
});

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

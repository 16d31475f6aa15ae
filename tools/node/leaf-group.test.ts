/** leaf-group.sh on files that stand for a control group. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);

let group: string;
beforeEach(async () => {
  group = await mkdtemp(join(tmpdir(), 'holdfast-group-'));
  await writeFile(join(group, 'cgroup.controllers'), 'cpu memory pids\n');
});
afterEach(() => rm(group, { recursive: true }));

/** As the first process of a node does it; what it gives is the number of that. */
async function enter(): Promise<string> {
  const script = resolve(import.meta.dirname, 'leaf-group.sh');
  const { stdout } = await run('bash', ['-euc', '. "$0" "$1"; echo $$', script, group]);
  return stdout;
}

test('the process is in a group below its own, which hands on all that there is', async () => {
  const pid = await enter();
  expect(await readFile(join(group, 'init/cgroup.procs'), 'utf8')).toBe(pid);
  expect(await readFile(join(group, 'cgroup.subtree_control'), 'utf8')).toBe('+cpu\n+memory\n+pids\n');
});

test('nothing is handed on while the process is still in it', async () => {
  await writeFile(join(group, 'init'), 'no directory');
  await expect(enter()).rejects.toThrow('init');
  expect(await readdir(group)).not.toContain('cgroup.subtree_control');
});

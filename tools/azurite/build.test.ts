/** The installation of Azurite with a stand-in for npm: what it does around it, which itself takes a minute. */
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast azurite '));
  await cp(import.meta.dirname, join(root, 'tool'), { recursive: true });
  await mkdir(join(root, 'programs'));
  await npm('echo "$*" >> "$LOG"; sleep 0.1');
});
afterEach(() => rm(root, { recursive: true }));

const npm = (body: string) => writeFile(join(root, 'programs/npm'), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
const runs = async () => (await readFile(join(root, 'log'), 'utf8')).trim().split('\n');

function build(
  path = `${join(root, 'programs')}:${process.env.PATH}`,
): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: path, XDG_CACHE_HOME: join(root, 'cache'), LOG: join(root, 'log') };
  return new Promise((done) => {
    execFile(join(root, 'tool/build.sh'), { env }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, out: out.trim(), err });
    });
  });
}

test('it is installed once, from the lockfile and without scripts, also when two want it', async () => {
  const [first, second] = await Promise.all([build(), build()]);
  const third = await build();
  expect([first.code, second.out, third.out, third.err]).toEqual([0, first.out, first.out, '']);
  expect(await runs()).toEqual([
    expect.stringMatching(/^ci --prefix .*cache\/holdfast\/azurite\/\S+ --ignore-scripts/),
  ]);
});

test('another lockfile is another one', async () => {
  const { out } = await build();
  await appendFile(join(root, 'tool/package-lock.json'), '\n');
  expect((await build()).out).not.toBe(out);
  expect(await runs()).toHaveLength(2);
});

test('one that failed is not taken for installed', async () => {
  await npm('exit 1');
  expect((await build()).code).not.toBe(0);
  await npm('echo "$*" >> "$LOG"');
  expect((await build()).code).toBe(0);
  expect(await runs()).toHaveLength(1);
});

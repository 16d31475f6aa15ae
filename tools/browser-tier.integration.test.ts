/** browser-tier.sh on machines that lack something. Stand-ins take the place of the programs that it looks for. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-browser-tier-'));
  for (const folder of ['tools', 'programs', 'node_modules/.bin']) await mkdir(join(root, folder), { recursive: true });
  for (const name of ['bash', 'dirname']) await symlink(`/usr/bin/${name}`, join(root, 'programs', name));
  await copyFile(resolve(import.meta.dirname, 'browser-tier.sh'), join(root, 'tools/browser-tier.sh'));
  await put('programs/id', 'echo 1000');
  await put('node_modules/.bin/vitest', 'echo "vitest $* in $CHROMIUM"');
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, body: string): Promise<void> {
  await writeFile(join(root, path), `#!/bin/sh\n${body}\n`);
  await chmod(join(root, path), 0o755);
}

function run(env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  const environment = { PATH: join(root, 'programs'), ...env };
  return new Promise((done) => {
    execFile(join(root, 'tools/browser-tier.sh'), { env: environment }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

test('runs the tests in the Chromium that is there', async () => {
  await put('programs/chromium', '');
  const out = `vitest run --project browser in ${join(root, 'programs/chromium')}\n`;
  expect(await run()).toEqual({ code: 0, out, err: '' });
});

test('runs them in the one that is named', async () => {
  await put('other', '');
  const out = `vitest run --project browser in ${join(root, 'other')}\n`;
  expect(await run({ CHROMIUM: join(root, 'other') })).toEqual({ code: 0, out, err: '' });
});

test('root installs one where there is none', async () => {
  await put('programs/id', 'echo 0');
  const installs = `echo "$*" >&2; /bin/ln -s /bin/true '${root}/programs/chromium'`;
  await put('programs/apt-get', `[ "$1" = update ] || { ${installs}; }`);
  const { code, out, err } = await run();
  expect(err).toContain('Installing chromium');
  expect(err).toContain('chromium fonts-inter');
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('vitest run --project browser') });
});

test.each([
  ['there is none and one is not root', {}],
  ['the one that is named is not there', { CHROMIUM: '/nowhere/chromium' }],
])('says so where %s, and fails in CI', async (_, env) => {
  const err = expect.stringMatching(/there is no Chromium. Install it/);
  expect(await run(env)).toEqual({ code: 0, out: '0 passed, 0 failed\n', err });
  expect(await run({ ...env, CI: 'true' })).toEqual({ code: 1, out: '0 passed, 1 failed\n', err });
});

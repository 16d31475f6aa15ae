/** host-tier.sh on machines that lack something. Stand-ins take the place of the programs that it looks for. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SCRIPT = readFileSync(resolve(import.meta.dirname, 'host-tier.sh'), 'utf8');
const NEEDED = (/^PROGRAMS="([^"]+)"$/m.exec(SCRIPT)?.[1] ?? '').split(/\s+/);

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-host-tier-'));
  for (const folder of ['tools', 'programs', 'node_modules/.bin']) await mkdir(join(root, folder), { recursive: true });
  for (const name of ['bash', 'dirname']) await symlink(`/usr/bin/${name}`, join(root, 'programs', name));
  await copyFile(resolve(import.meta.dirname, 'host-tier.sh'), join(root, 'tools/host-tier.sh'));
  await aMachine({});
});
afterEach(() => rm(root, { recursive: true }));

/** Everything is there, unless told otherwise. */
async function aMachine(bodies: Record<string, string>): Promise<void> {
  const programs = { uname: 'echo Linux', id: 'echo 0', losetup: 'echo /dev/loop0', ...bodies };
  for (const [name, body] of Object.entries({ ...Object.fromEntries(NEEDED.map((name) => [name, ''])), ...programs }))
    await put(`programs/${name}`, body);
  await put('node_modules/.bin/vitest', 'echo "vitest $*"');
}

async function put(path: string, body: string): Promise<void> {
  await writeFile(join(root, path), `#!/bin/sh\n${body}\n`);
  await chmod(join(root, path), 0o755);
}

function run(env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  const environment = { PATH: join(root, 'programs'), ...env };
  return new Promise((done) => {
    execFile(join(root, 'tools/host-tier.sh'), { env: environment }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

test('runs the tests where everything is there', async () => {
  expect(await run()).toEqual({ code: 0, out: 'vitest run --project host\n', err: '' });
});

test.each([
  ['is not root', { id: 'echo 1000' }, /only root may. Run: sudo make host/],
  ['is no Linux', { uname: 'echo Darwin' }, /they need Linux, and this is Darwin/],
  ['has no loop devices', { losetup: 'echo denied >&2; exit 1' }, /no loop device can be made here/],
])('says so where one %s, and fails in CI', async (_, bodies, why) => {
  await aMachine(bodies);
  expect(await run()).toEqual({ code: 0, out: '0 passed, 0 failed\n', err: expect.stringMatching(why) });
  expect(await run({ CI: 'true' })).toEqual({ code: 1, out: '0 passed, 1 failed\n', err: expect.stringMatching(why) });
});

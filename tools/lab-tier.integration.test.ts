/** lab-tier.sh on machines that lack something, and with parts that end in every way. Stand-ins take the place of what it runs. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-lab-tier-'));
  for (const folder of ['tools/lab', 'programs', 'node_modules/.bin'])
    await mkdir(join(root, folder), { recursive: true });
  for (const name of ['bash', 'dirname', 'mktemp', 'rm', 'tee', 'tail', 'grep', 'awk'])
    await symlink(`/usr/bin/${name}`, join(root, 'programs', name));
  await copyFile(resolve(import.meta.dirname, 'lab-tier.sh'), join(root, 'tools/lab-tier.sh'));
  await put('programs/uname', 'echo Linux x86_64');
  for (const name of ['apt-get', 'dpkg-deb']) await put(`programs/${name}`, '');
  await put('tools/lab/build.sh', 'echo /somewhere');
  await inside('echo "2 passed, 0 failed"');
  await outside('echo "3 passed, 0 failed"');
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, body: string): Promise<void> {
  await writeFile(join(root, path), `#!/bin/bash\n${body}\n`);
  await chmod(join(root, path), 0o755);
}

const inside = (body: string) => put('tools/lab/boot.sh', `[ "$1" = true ] && exit; ${body}`);
const outside = (body: string) => put('node_modules/.bin/vitest', body);

function run(env: Record<string, string> = {}): Promise<{ code: number; out: string[]; err: string }> {
  const environment = { PATH: join(root, 'programs'), ...env };
  return new Promise((done) => {
    execFile(join(root, 'tools/lab-tier.sh'), { env: environment }, (error, out, err) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      done({ code, out: out.trimEnd().split('\n'), err });
    });
  });
}

test('the last line counts the tests of all parts', async () => {
  expect(await run()).toEqual({
    code: 0,
    out: ['2 passed, 0 failed', '3 passed, 0 failed', '3 passed, 0 failed', '8 passed, 0 failed'],
    err: '',
  });
});

test('all parts run, and what fails in one of them fails the tier', async () => {
  await inside('echo "1 passed, 1 failed, 2 skipped"; exit 1');
  expect(await run()).toMatchObject({
    code: 1,
    out: [expect.any(String), expect.any(String), expect.any(String), '7 passed, 1 failed, 2 skipped'],
  });
});

test('a guest that stops in the middle is a failure', async () => {
  await inside('echo "the first test"; exit 125');
  const { code, out } = await run();
  expect(code).toBe(1);
  expect(out.at(-1)).toBe('6 passed, 1 failed');
});

test.each([
  ['is no Linux of the right kind', () => put('programs/uname', 'echo Linux aarch64'), /and this is Linux aarch64/],
  ['has no Debian packages', () => rm(join(root, 'programs/apt-get')), /apt-get is missing here/],
  [
    'cannot build the guest',
    () => put('tools/lab/build.sh', 'echo no network >&2; exit 1'),
    /no network\n.*could not be built/,
  ],
  ['cannot boot it', () => put('tools/lab/boot.sh', 'exit 125'), /the guest does not start here/],
])('says so where one %s, and fails in CI', async (_, lack, why) => {
  await lack();
  expect(await run()).toEqual({ code: 0, out: ['0 passed, 0 failed'], err: expect.stringMatching(why) });
  expect(await run({ CI: 'true' })).toEqual({ code: 1, out: ['0 passed, 1 failed'], err: expect.stringMatching(why) });
});

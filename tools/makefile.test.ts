/** The Makefile, in a directory with nothing but stand-ins for the programs that it runs. Each of them writes down that it ran. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** What looks at the code and changes nothing runs at the same time. */
const SIDE_BY_SIDE = ['tsc', 'biome', 'knip'];
const NOTED = `words=("\${0##*/}" "$@"); echo "\${words[*]}" >> log`;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast make '));
  await copyFile(resolve(import.meta.dirname, '../Makefile'), join(root, 'Makefile'));
  for (const file of ['package.json', 'package-lock.json']) await writeFile(join(root, file), '');
  for (const name of ['make', 'bash', 'cat', 'mkdir', 'mktemp', 'rm', 'rmdir', 'sleep', 'touch', 'cp'])
    await link(name);
  for (const script of [
    'host-tier.sh',
    'lab-tier.sh',
    'browser-tier.sh',
    'control-plane/build.sh',
    'helm/build.sh',
    's3-server/build.sh',
    'azurite/build.sh',
  ])
    await standIn(`tools/${script}`);
  await standIn('programs/npm', `mkdir -p node_modules/.bin; cp programs/made-by-npm/* node_modules/.bin`);
  for (const name of ['vitest', 'node']) await standIn(`programs/made-by-npm/${name}`);
  await copyFile(resolve(import.meta.dirname, 'side-by-side.sh'), join(root, 'tools/side-by-side.sh'));
  for (const name of SIDE_BY_SIDE) await script(`programs/made-by-npm/${name}`, NOTED);
});
afterEach(() => rm(root, { recursive: true }));

async function link(program: string): Promise<void> {
  await mkdir(join(root, 'programs'), { recursive: true });
  await symlink(`/usr/bin/${program}`, join(root, 'programs', program));
}

/** Writes its name and arguments into `log`, and `overlap` when it finds another one running. */
const standIn = (path: string, body = ''): Promise<void> =>
  script(path, `${NOTED}; mkdir running || echo overlap >> log; sleep 0.02; ${body}\nrmdir running`);

async function script(path: string, body: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
}

function make(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: join(root, 'programs') };
  return new Promise((done) => {
    execFile('make', args, { cwd: root, env }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

const log = async (): Promise<string[]> => (await readFile(join(root, 'log'), 'utf8')).trim().split('\n');

test('make -j test runs every tier, one after another', async () => {
  expect(await make('-j', '8', 'test')).toMatchObject({ code: 0 });
  const [installed, ...rest] = await log();
  expect(installed).toBe('npm ci --no-audit --no-fund --loglevel=error');
  const looks = ['biome check --error-on-warnings', 'knip --cache', 'tsc -p .', 'tsc -p web'];
  expect(rest.slice(0, looks.length).toSorted()).toEqual(looks);
  expect(rest.slice(looks.length)).toEqual([
    'vitest run --project unit',
    'vitest run --project simulation',
    'build.sh',
    'vitest run --project conformance',
    'build.sh',
    'build.sh',
    'build.sh',
    'node tools/console/build.ts',
    'vitest run --project integration',
    'host-tier.sh',
    'lab-tier.sh',
    'browser-tier.sh',
  ]);
});

test('a tier that fails ends the run', async () => {
  await standIn('programs/made-by-npm/vitest', 'rmdir running; exit 3');
  expect((await make('test')).code).not.toBe(0);
  expect((await log()).at(-1)).toBe('vitest run --project unit');
});

test.each(SIDE_BY_SIDE)(
  'make check fails, and runs no test, when %s does, and shows what all of them say',
  async (name) => {
    for (const each of SIDE_BY_SIDE)
      await script(`programs/made-by-npm/${each}`, `echo "${each} was here"; exit ${each === name ? 3 : 0}`);
    const { code, out, err } = await make('check');
    expect(code).not.toBe(0);
    for (const each of SIDE_BY_SIDE) expect(out).toContain(`${each} was here`);
    expect(err).toContain('failed with 3');
    expect(await log()).not.toContain('vitest run --project unit');
  },
);

test('the dependencies are installed once, and again when the lockfile changed', async () => {
  await make('setup');
  await make('setup');
  expect(await log()).toHaveLength(1);
  const later = new Date(Date.now() + 60_000);
  await utimes(join(root, 'package-lock.json'), later, later);
  await make('setup');
  expect(await log()).toHaveLength(2);
});

test('an installation that failed is not taken for done', async () => {
  await standIn('programs/npm', 'rmdir running; exit 1');
  expect((await make('setup')).code).not.toBe(0);
  expect((await make('setup')).code).not.toBe(0);
  expect(await log()).toHaveLength(2);
});

test('without npm it says what is needed', async () => {
  await rm(join(root, 'programs/npm'));
  const { code, err } = await make('check');
  expect(code).not.toBe(0);
  expect(err).toContain('make setup needs Node.js 20 or newer with npm');
});

test.each([
  ['dpkg-deb', ['apt-get'], 'Makefile', 'make image needs dpkg-deb'],
  ['apt-get', ['dpkg-deb'], 'Makefile', 'make image needs apt-get'],
  ['keys', ['apt-get', 'dpkg-deb'], 'nowhere.gpg', 'install debian-archive-keyring'],
])('make image says so where there is no %s', async (_, programs, keyring, says) => {
  for (const program of programs) await standIn(`programs/${program}`);
  const { code, err } = await make('image', `DEBIAN_KEYRING=${keyring}`);
  expect(code).not.toBe(0);
  expect(err).toContain(says);
  expect(await log()).not.toContain('node tools/image/build.ts');
});

test('make image builds the images where all that it needs is there', async () => {
  for (const program of ['apt-get', 'dpkg-deb']) await standIn(`programs/${program}`);
  expect(await make('image', 'DEBIAN_KEYRING=Makefile')).toMatchObject({ code: 0 });
  expect((await log()).at(-1)).toBe('node tools/image/build.ts');
});

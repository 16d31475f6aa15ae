/** build.sh with a stand-in for Go: what it does around the build, which itself takes minutes. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAMS = [
  'bash',
  'awk',
  'cat',
  'cut',
  'dirname',
  'flock',
  'head',
  'mkdir',
  'mv',
  'readlink',
  'sha256sum',
  'sort',
];

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast helm '));
  await mkdir(join(root, 'recipe'));
  for (const file of ['go.mod', 'go.sum', 'build.sh'])
    await copyFile(join(import.meta.dirname, file), join(root, 'recipe', file));
  await mkdir(join(root, 'programs'));
  for (const name of PROGRAMS) await symlink(`/usr/bin/${name}`, join(root, 'programs', name));
  await go();
});
afterEach(() => rm(root, { recursive: true }));

/** A Go that writes down what it was told to build, and builds at once, unless told otherwise. */
async function go({ version = 'go1.99.0', compile = 'exit 0' } = {}): Promise<void> {
  const build = `echo "$*" >> "${root}/log"; while [ "$1" != -o ]; do shift; done; echo built > "$2"; /usr/bin/chmod +x "$2"; ${compile}`;
  const body = `case $1 in env) echo ${version} ;; build) ${build} ;; esac`;
  await writeFile(join(root, 'programs/go'), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
}

function build(): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: join(root, 'programs'), HOME: '/nonexistent', XDG_CACHE_HOME: join(root, 'cache') };
  return new Promise((done) => {
    execFile(join(root, 'recipe/build.sh'), { cwd: root, env }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

const builds = async (): Promise<readonly string[]> => (await readFile(join(root, 'log'), 'utf8')).trim().split('\n');

test('builds once, and prints where the program is', async () => {
  const { code, out } = await build();
  expect(code).toBe(0);
  const path = out.trim();
  expect(path).toMatch(new RegExp(`^${join(root, 'cache')}/holdfast/helm/v3\\.[0-9.]+/helm$`));
  expect(await readFile(path, 'utf8')).toBe('built\n');
  expect(await build()).toEqual({ code: 0, out: `${path}\n`, err: '' });
  expect(await builds()).toHaveLength(1);
});

test('tells helm its version, and that of the Kubernetes that it is for', async () => {
  await build();
  const [told = ''] = await builds();
  expect(told).toMatch(/version\.version=v3\.\d+\.\d+ /);
  expect(told.match(/k8sVersionMinor=[1-9]\d+\b/g)).toHaveLength(2);
});

test('builds again when the recipe changed, or when the program is gone', async () => {
  const path = (await build()).out.trim();
  await rm(path);
  await build();
  await writeFile(join(root, 'recipe/go.sum'), '');
  await build();
  expect(await builds()).toHaveLength(3);
});

test('after a build that failed there is nothing to be taken for built', async () => {
  await go({ compile: 'exit 1' });
  expect(await build()).toMatchObject({ code: 1, out: '' });
  await go();
  expect(await build()).toMatchObject({ code: 0 });
  expect(await builds()).toHaveLength(2);
});

test.each([
  ['is not there', undefined, /needs Go 1\.\d+\.\d+ or newer, and there is no go command here/],
  ['cannot even read go.mod', 'go1.19.8', /needs Go 1\.\d+\.\d+ or newer, and this is go1\.19\.8/],
])('a Go that %s is told in a sentence', async (_, version, sentence) => {
  if (version) await go({ version });
  else await rm(join(root, 'programs/go'));
  expect(await build()).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
});

/** build.sh with a stand-in for Go: what it does around the build, which itself takes minutes. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const PROGRAMS = ['bash', 'awk', 'cat', 'chmod', 'cut', 'dirname', 'flock', 'head', 'ln', 'mkdir', 'mv', 'readlink'];

let root: string;
let cache: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast control plane '));
  cache = join(root, 'cache');
  await mkdir(join(root, 'recipe'));
  for (const file of ['go.mod', 'go.sum', 'main.go', 'build.sh'])
    await copyFile(join(import.meta.dirname, file), join(root, 'recipe', file));
  await mkdir(join(root, 'programs'));
  for (const name of [...PROGRAMS, 'rm', 'sha256sum', 'sort', 'touch'])
    await symlink(`/usr/bin/${name}`, join(root, 'programs', name));
  await go();
});
afterEach(() => rm(root, { recursive: true }));

/** A Go that writes down that it built, and builds at once, unless told otherwise. */
async function go({ version = 'go1.99.0', compile = 'echo built > "$out"; chmod +x "$out"' } = {}): Promise<void> {
  const outfile = 'while [ "$1" != -o ]; do shift; done; out=$2';
  const build = `touch "${root}/compiling"; echo build >> "${root}/log"; ${outfile}; ${compile}`;
  const body = `case $1 in env) echo ${version} ;; build) ${build} ;; esac`;
  await writeFile(join(root, 'programs/go'), `#!/bin/bash\n${body}\n`);
  await chmod(join(root, 'programs/go'), 0o755);
}

const environment = (env: NodeJS.ProcessEnv = {}) => ({
  PATH: join(root, 'programs'),
  HOME: '/nonexistent',
  XDG_CACHE_HOME: cache,
  ...env,
});

function build(env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(join(root, 'recipe/build.sh'), { cwd: root, env: environment(env) }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

const builds = async (): Promise<number> => (await readFile(join(root, 'log'), 'utf8')).trim().split('\n').length;

/** The directory that it printed, which must be there. */
async function builtIn(): Promise<string> {
  const { code, out, err } = await build();
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  return out.trim();
}

test('builds once, with a link for each component, and prints where', async () => {
  const directory = await builtIn();
  expect(directory).toMatch(new RegExp(`^${cache}/holdfast/control-plane/v1\\.`));
  expect(await readdir(directory)).toEqual(expect.arrayContaining(['etcd', 'kube-apiserver', 'kubectl', 'recipe']));
  expect(await build()).toEqual({ code: 0, out: `${directory}\n`, err: '' });
  expect(await builds()).toBe(1);
});

test('builds again when the recipe changed, or when the binary is gone', async () => {
  const directory = await builtIn();
  await rm(join(directory, 'control-plane'));
  await builtIn();
  await writeFile(join(root, 'recipe/main.go'), 'package main\n');
  await builtIn();
  expect(await builds()).toBe(3);
});

test('writes nothing when there is nothing to do: the cache may be another user’s', async () => {
  const directory = await builtIn();
  await rm(join(directory, '.lock'));
  await builtIn();
  expect(await readdir(directory)).not.toContain('.lock');
});

test('after a build that failed or was killed there is nothing to be taken for built', async () => {
  await go({ compile: 'echo half > "$out"; echo "no space left on device" >&2; exit 1' });
  expect(await build()).toMatchObject({ code: 1, out: '' });
  await go({ compile: 'echo half > "$out"; kill -KILL $PPID' });
  expect(await build()).toMatchObject({ out: '' });
  await go();
  expect(await readFile(join(await builtIn(), 'control-plane'), 'utf8')).toBe('built\n');
});

test('waits for a build that is under way, says so, and takes what that made', async () => {
  await go({ compile: `read -r < "${root}/gate"; echo built > "$out"; chmod +x "$out"` });
  await new Promise((done) => execFile('/usr/bin/mkfifo', [join(root, 'gate')], done));
  const first = build();
  await vi.waitFor(() => readFile(join(root, 'compiling')), { timeout: 15_000 });
  const second = spawn(join(root, 'recipe/build.sh'), { env: environment() });
  const [said] = await once(second.stderr, 'data');
  expect(`${said}`).toContain('another build is under way');
  await writeFile(join(root, 'gate'), '\n');
  expect(await first).toMatchObject({ code: 0 });
  expect(await once(second, 'exit')).toEqual([0, null]);
  expect(await builds()).toBe(1);
});

test('without HOME the home directory of the user is taken', async () => {
  await rm(join(root, 'programs/mkdir')); // nothing must be written there
  await writeFile(join(root, 'programs/mkdir'), '#!/bin/bash\necho "$2"; exit 1\n', { mode: 0o755 });
  const { out } = await build({ HOME: undefined, XDG_CACHE_HOME: undefined });
  expect(out).toMatch(new RegExp(`^${userInfo().homedir}/.cache/holdfast/control-plane/v1\\.`));
});

test.each([
  ['is not there', undefined, /needs Go 1\.\d+\.\d+ or newer, and there is no go command here/],
  ['cannot even read go.mod', 'go1.19.8', /needs Go 1\.\d+\.\d+ or newer, and this is go1\.19\.8/],
])('a Go that %s is told in a sentence', async (_, version, sentence) => {
  if (version) await go({ version });
  else await rm(join(root, 'programs/go'));
  expect(await build()).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
});

test('KUBEBUILDER_ASSETS stands in for a build when it holds everything, and says what it lacks', async () => {
  const assets = join(root, 'assets');
  await mkdir(assets);
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) await writeFile(join(assets, name), '', { mode: 0o755 });
  expect(await build({ KUBEBUILDER_ASSETS: assets })).toMatchObject({
    code: 1,
    err: expect.stringContaining('missing there: kube-controller-manager kube-scheduler.'),
  });
  for (const name of ['kube-controller-manager', 'kube-scheduler'])
    await writeFile(join(assets, name), '', { mode: 0o755 });
  const expected = { code: 0, out: `${assets}\n`, err: '' };
  expect(await build({ KUBEBUILDER_ASSETS: assets })).toEqual(expected);
  expect(await build({ KUBEBUILDER_ASSETS: basename(assets) })).toEqual(expected);
});

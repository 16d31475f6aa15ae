import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Part } from './bundle/pack.ts';
import { bundle } from './bundle.ts';

let folder: string;
let file: string;
let parts: readonly Part[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  file = join(folder, 'holdfast.mjs');
  parts = await bundle({ outfile: file, commit: 'c0ffee' });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program far from the checkout, with nothing to find but Node.js. */
const run = (program: string, ...args: string[]) => runIn({}, program, ...args);

function runIn(
  environment: Readonly<Record<string, string>>,
  program: string,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter), ...environment };
  return new Promise((done) => {
    execFile(program, args, { cwd: '/', env }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

test('the bundle is one file', async () => {
  expect(await readdir(folder)).toEqual(['holdfast.mjs']);
});

test('it runs from anywhere, by itself, and knows what it was built from', async () => {
  const { code, out, err } = await run(file, 'version', '--output', 'json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({ commit: 'c0ffee', node: process.version });
});

test('packages are in it', async () => {
  expect((await run(file, 'version', '-o', 'yaml')).out).toContain('commit: c0ffee\n');
});

test('what a command does not use is not even unpacked', async () => {
  const unused = parts.find(({ code }) => code.includes('node_modules/yaml/'));
  const broken = join(folder, 'broken.mjs');
  const text = await readFile(file, 'utf8');
  const line = new RegExp(`(?<=^//part ${unused?.name} ).*$`, 'm');
  await writeFile(
    broken,
    text.replace(line, (packed) => 'A'.repeat(packed.length)),
  );
  expect(await run(process.execPath, broken, 'version', '-o', 'json')).toMatchObject({ code: 0 });
  expect(await run(process.execPath, broken, 'version', '-o', 'yaml')).toMatchObject({ code: 1 });
});

test.each([
  ['S3', 'ListObjectsV2', { OBJECT_STORAGE_BUCKET: 'b' }, 's3'],
  [
    'Azure',
    'x-ms-blob-type',
    { OBJECT_STORAGE_BUCKET: 'b', OBJECT_STORAGE_ACCOUNT: 'abc', OBJECT_STORAGE_SECRET: 'c' },
    'azure',
  ],
])('the SDK of %s is unpacked for its stores only', async (name, word, env, provider) => {
  const broken = join(folder, `without-${name}.mjs`);
  const sdk = parts.filter(({ code }) => code.includes(word)).map((part) => part.name);
  const lines = new RegExp(`(?<=^//part (?:${sdk.join('|')}) ).*$`, 'gm');
  const text = await readFile(file, 'utf8');
  await writeFile(
    broken,
    text.replace(lines, (packed) => 'A'.repeat(packed.length)),
  );
  const verify = (variables: Readonly<Record<string, string>>, of: string) =>
    runIn(variables, process.execPath, broken, 'sync', 'verify', '--cluster', 'x', '--provider', of);
  expect(await run(process.execPath, broken, 'version')).toMatchObject({ code: 0 });
  expect(await run(process.execPath, broken, 'sync', '--help')).toMatchObject({ code: 0 });
  expect((await verify({ OBJECT_STORAGE_PATH: folder }, 'file')).out).toContain('there is no export of x');
  expect(await verify(env, provider)).toMatchObject({ code: 1, err: expect.not.stringContaining('cannot list') });
});

/** A part, and all that it imports to begin with. */
function loadedWith(part: Part | undefined, loaded = new Set<Part>()): ReadonlySet<Part> {
  if (part === undefined || loaded.has(part)) return loaded;
  loaded.add(part);
  for (const [, name] of part.code.matchAll(/(?:\bfrom|\bimport)"\.\/([^"]+)"/g))
    loadedWith(
      parts.find((other) => other.name === name),
      loaded,
    );
  return loaded;
}

test('an agent loads little code: all of it stays in memory, on every node', () => {
  const loaded = loadedWith(parts.find(({ name }) => name.startsWith('devices-')));
  expect(loaded.size).toBeGreaterThan(10);
  expect([...loaded].reduce((sum, { code }) => sum + code.length, 0)).toBeLessThan(1_750_000);
});

test('no module of Node.js is asked for more than is used of it', async () => {
  const tells = `process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList)))`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tells)}`;
  const { out } = await runIn({ NODE_OPTIONS }, file, 'devices', '--node-name', 'n1');
  const loaded: unknown = JSON.parse(out);
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici'); // for the WebSocket of node:http
  expect(loaded).not.toContain('NativeModule internal/crypto/webcrypto');
});

test('under the name of an original it is that job', async () => {
  const link = join(folder, 'local-pv-provisioner');
  await symlink('holdfast.mjs', link);
  const { code, err } = await run(link, '-node-name', 'n1');
  expect(code).toBe(2);
  expect(err).toContain('holdfast devices: --namespace-name is required');
});

test('under another name of its own it is holdfast', async () => {
  const link = join(folder, 'kubectl-holdfast');
  await symlink('holdfast.mjs', link);
  expect((await run(link)).out).toMatch(/^Usage: kubectl holdfast /);
});

test('a reader that stops early is no failure', async () => {
  const shell = `"$0" "$1" --help | true; "$0" "$1" --help | head -n 1`;
  const { out, err } = await run('/bin/sh', '-c', shell, process.execPath, file);
  expect({ out, err }).toEqual({ out: 'Usage: holdfast COMMAND [flags]\n', err: '' });
});

test('output that cannot be written is told in one line, and complaints that nobody reads do not change the exit code', async () => {
  const full = await run('/bin/sh', '-c', '"$0" "$1" version > /dev/full', process.execPath, file);
  expect(full).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^holdfast: cannot write the output: ENOSPC.*\n$/),
  });
  const unread = `exec 3>&1; { "$0" "$1" nosuch; echo $? >&3; } 2>&1 >&- | true`;
  expect((await run('/bin/bash', '-c', unread, process.execPath, file)).out).toBe('2\n');
});

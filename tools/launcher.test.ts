/** bin/holdfast, the launcher for a checkout. It is tried on copies of a checkout, each with something else in place of Node.js. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const launcher = resolve(import.meta.dirname, '../bin/holdfast');

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-launcher-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
  await chmod(join(root, path), 0o755);
}

/** A checkout whose Node.js tells how it was called. */
async function aCheckout({ pinnedNode }: { pinnedNode: boolean }): Promise<void> {
  await mkdir(join(root, 'checkout/bin'), { recursive: true });
  await copyFile(launcher, join(root, 'checkout/bin/holdfast'));
  await mkdir(join(root, 'checkout/node_modules/.bin'), { recursive: true });
  if (pinnedNode) await put('checkout/node_modules/.bin/node', echoing('pinned'));
}

const echoing = (which: string) =>
  `#!/bin/sh\nif [ "$1" = --version ]; then echo v${which}; exit; fi\necho "${which} as $HOLDFAST_INVOKED_AS: $*"\n`;

/** PATH holds only what a test put into `tools`, and the few programs that the launcher itself needs. */
async function run(program: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  await mkdir(join(root, 'tools'), { recursive: true });
  for (const name of ['dirname', 'readlink']) await symlink(`/usr/bin/${name}`, join(root, 'tools', name));
  return new Promise((done) => {
    execFile(join(root, program), args, { cwd: '/', env: { PATH: join(root, 'tools') } }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
    });
  });
}

test('the pinned Node.js runs the checkout, through a chain of symlinks, and learns the name that was typed', async () => {
  await aCheckout({ pinnedNode: true });
  await symlink('checkout/bin/holdfast', join(root, 'first'));
  await mkdir(join(root, 'usr'));
  await symlink('../first', join(root, 'usr/pvsync'));
  expect(await run('usr/pvsync', '--x', 'a  b')).toEqual({
    code: 0,
    out: `pinned as pvsync: ${root}/checkout/src/main.ts --x a  b\n`,
    err: '',
  });
});

test('a symlink to the directory leads to the checkout as well', async () => {
  await aCheckout({ pinnedNode: true });
  await mkdir(join(root, 'with space'));
  await symlink('../checkout/bin', join(root, 'with space/bin'));
  expect((await run('with space/bin/holdfast')).out).toBe(`pinned as holdfast: ${root}/checkout/src/main.ts\n`);
});

test("without a pinned one the system's Node.js is used when it is new enough", async () => {
  await aCheckout({ pinnedNode: false });
  await put('tools/node', echoing('24.0.0'));
  expect((await run('checkout/bin/holdfast', 'version')).out).toContain('24.0.0 as holdfast:');
});

test.each([
  ['too old', '22.20.0', /tools\/node is v22\.20\.0, and Node\.js 24 or newer is needed/],
  ['not there', undefined, /Node\.js is needed: install version 24 or newer/],
])("a system's Node.js that is %s is told in one sentence", async (_, version, expected) => {
  await aCheckout({ pinnedNode: false });
  if (version) await put('tools/node', echoing(version));
  const { code, out, err } = await run('checkout/bin/holdfast', 'version');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(expected);
});

test('without node_modules it says what to run', async () => {
  await put('tools/node', echoing('26.0.0'));
  await aCheckout({ pinnedNode: false });
  await rm(join(root, 'checkout/node_modules'), { recursive: true });
  expect(await run('checkout/bin/holdfast')).toEqual({
    code: 1,
    out: '',
    err: `holdfast: the dependencies are not installed yet; run: make -C '${root}/checkout' setup\n`,
  });
});

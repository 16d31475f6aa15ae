/** The last line of a test tier, on throw-away tiers that go wrong in every way. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

let tier: string;
beforeEach(async () => {
  tier = await mkdtemp(join(tmpdir(), 'holdfast-tier-'));
  await symlink(join(root, 'node_modules'), join(tier, 'node_modules'));
});
afterEach(() => rm(tier, { recursive: true }));

/** Runs the given test files and gives back how that ended and the last line. */
async function run(files: Record<string, string>, env: Record<string, string> = {}) {
  const imports = `import { afterAll, beforeAll, describe, test } from 'vitest';\n`;
  for (const [name, body] of Object.entries(files)) await writeFile(join(tier, `${name}.test.ts`), imports + body);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', tier, '--reporter', join(root, 'tools/tier-reporter.ts')];
  return new Promise((done) => {
    execFile(process.execPath, args, { env: { PATH: process.env.PATH, ...env } }, (error, out) => {
      done([error?.code ?? 0, out.trim().split('\n').at(-1)]);
    });
  });
}

test('counts what passed and what failed', async () => {
  const files = {
    a: `test('1', () => {}); describe('d', () => test('2', () => { throw 1; }));`,
    b: `test('3', () => {});`,
  };
  expect(await run(files)).toEqual([1, '2 passed, 1 failed']);
});

test('counts files that cannot be read, hooks that fail and errors that nobody caught', async () => {
  const files = {
    broken: `import './nothing.ts'; test('never', () => {});`,
    before: `describe('d', () => { beforeAll(() => { throw 1; }); test('never', () => {}); });`,
    after: `describe('d', () => { afterAll(() => { throw 1; }); test('fine', () => {}); });`,
    unhandled: `test('fine', () => { Promise.reject(new Error('nobody')); });`,
  };
  expect(await run(files)).toEqual([1, '2 passed, 4 failed, 1 skipped']);
});

test('counts it as a failure when there was nothing to run', async () => {
  expect(await run({})).toEqual([1, '0 passed, 1 failed']);
});

test('counts tests that did not run as failures in CI, and elsewhere as what they are', async () => {
  const files = { a: `test('1', () => {}); test.skip('2', () => {}); test('3', ({ skip }) => skip());` };
  expect(await run(files)).toEqual([0, '1 passed, 0 failed, 2 skipped']);
  expect(await run(files, { CI: 'true' })).toEqual([1, '1 passed, 2 failed, 2 skipped']);
});

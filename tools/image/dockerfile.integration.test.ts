/** What the Dockerfile runs, in a directory with nothing but what it copies. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copied, read, root, said } from './dockerfile.ts';

describe('with nothing but what it copies', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-dockerfile-'));
    for (const path of copied) await cp(join(root, path), join(directory, path), { recursive: true });
    // As npm ci makes it.
    await symlink(await realpath(join(root, 'node_modules')), join(directory, 'node_modules'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const run = (command: string) =>
    spawnSync('sh', ['-euc', command], { cwd: directory, encoding: 'utf8', env: { ...process.env, COMMIT: '' } });
  const commands = said('build', 'RUN').flatMap((line) => line.split(' && '));

  test('it builds the page and the program without a complaint', () => {
    const build = commands.filter((command) => /^node tools\/(console\/build|bundle)\.ts/.test(command));
    expect(build).toHaveLength(2);
    for (const command of build) expect(run(command), command).toMatchObject({ status: 0, stderr: '' });
    const { version } = JSON.parse(read('package.json'));
    expect(run('node dist/holdfast.mjs version').stdout).toContain(version);
  });

  /** What it then does takes packages from the network: make image does the same. */
  test('the program that unpacks the images finds all of its parts', () => {
    expect(commands.at(-1)).toMatch(/^node tools\/image\/build\.ts /);
    expect(run(`node --input-type=module -e "import './tools/image/build.ts'"`)).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

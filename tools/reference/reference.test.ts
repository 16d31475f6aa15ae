import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ENV } from '../../src/sync/contract.ts';
import { flagsOfAllCommands } from './command-line.ts';
import { OTHER_VARIABLES } from './environment.ts';
import { PAGES, pageAsItShouldBe, pageNow, TABLE_NAMES } from './reference.ts';

const root = resolve(import.meta.dirname, '../..');

test.each(PAGES)('the tables of %s are as the code has them: make docs', (page) => {
  expect(pageNow(page)).toContain('<!-- table: ');
  expect(pageNow(page)).toBe(pageAsItShouldBe(page));
});

test('every page of reference is made from the code, and every table is on a page', () => {
  const pages = globSync('docs/reference/*.md', { cwd: root }).filter((page) => !page.endsWith('README.md'));
  expect(pages.filter((page) => !PAGES.includes(page))).toEqual([]);
  const all = PAGES.map(pageNow).join('');
  expect(TABLE_NAMES.filter((name) => !all.includes(`<!-- table: ${name} -->`))).toEqual([]);
});

/** In any of the ways in which the code reads one. */
const READ =
  /\benv\.([A-Z][A-Z0-9_]+)\b|\{ (KUBERNETES_\w+): \w+ = '[^}]*?(KUBERNETES_\w+):|'(HTTPS?_PROXY|HOLDFAST_\w+)'/g;

test('docs/reference/environment.md has every variable that the code reads', () => {
  const files = globSync(['src/**/*.ts', 'tools/bundle/*.ts'], { cwd: root, exclude: ['**/*.test.ts'] });
  const read = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(READ)].flatMap(([, ...names]) => names.filter(Boolean)),
  );
  const ofFlags = flagsOfAllCommands().flatMap(({ flag }) => flag.settings.env ?? []);
  const told = new Set([...ofFlags, ...Object.values<string>(ENV), ...Object.keys(OTHER_VARIABLES)]);
  expect(read).toContain('NO_COLOR');
  expect([...new Set(read)].filter((name) => !told.has(name))).toEqual([]);
});

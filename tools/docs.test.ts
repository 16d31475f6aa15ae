/** The documentation holds together: its links lead somewhere, and what it names exists. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CLUSTER_CHECKS, MACHINE_CHECKS } from '../src/doctor/checks/all.ts';
import { Metrics } from '../src/kit/observe/metrics.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = globSync('**/*.md', { cwd: root, exclude: ['node_modules', 'dist'] });

const FENCE = /^```(\w*)\n(.*?)^```$/gms;
const SPAN = /`([^`]+)`/g;

const fencesOf = (page: string, language: string): string[] =>
  [...read(page).matchAll(FENCE)].filter(([, found]) => found === language).map(([, , text = '']) => text);
const proseOf = (page: string): string => read(page).replace(FENCE, '');
const spansOf = (text: string): string[] => [...text.matchAll(SPAN)].map(([, span = '']) => span.replace(/\s+/g, ' '));

/** What is meant literally: code in a sentence, and what can be typed into a shell. */
const literalsOf = (page: string): string[] => [...spansOf(proseOf(page)), ...fencesOf(page, 'sh')];

/** One line for each thing that a page names and that is not there. */
const missing = (namedOn: (page: string) => string[], isThere: (name: string, page: string) => boolean): string[] =>
  pages.flatMap((page) =>
    namedOn(page)
      .filter((name) => !isThere(name, page))
      .map((name) => `${page}: ${name}`),
  );

const linksOn = (page: string): string[] =>
  [
    ...proseOf(page)
      .replace(SPAN, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = '']) => link);

function leadsSomewhere(link: string, page: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  return existsSync(join(root, target)) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('there are pages, and links, targets and paths on them', () => {
  expect(pages).toContain('README.md');
  expect(linksOn('README.md')).toContain('docs/design.md');
  expect(targetsOn('README.md')).toContain('test');
  expect(pathsOn('docs/design.md')).toContain('test/layers.test.ts');
});

test('every link leads to a file, and to a heading in it where it names one', () => {
  expect(missing(linksOn, leadsSomewhere)).toEqual([]);
});

const targetsOn = (page: string): string[] =>
  literalsOf(page).flatMap((text) => [...text.matchAll(/\bmake ([a-z][a-z0-9-]*)/g)].map(([, target = '']) => target));

test('every make target exists', () => {
  const makefile = read('Makefile');
  expect(missing(targetsOn, (target) => new RegExp(`^${target}:`, 'm').test(makefile))).toEqual([]);
});

test('nobody is told to upgrade with values that lack what a newer chart has in them', () => {
  const told = [...pages.flatMap((page) => fencesOf(page, 'sh')), read('charts/holdfast/templates/NOTES.txt')];
  expect(told.some((text) => text.includes('--reset-then-reuse-values'))).toBe(true);
  expect(told.filter((text) => /\s--reuse-values/.test(text))).toEqual([]);
});

const pathsOn = (page: string): string[] =>
  literalsOf(page)
    .flatMap((text) => text.split(/\s+/))
    .filter((word) => /^(src|test|docs|tools|bench|bin|deploy)\/[\w./*-]*$/.test(word));

test('every path exists', () => {
  expect(missing(pathsOn, (path) => globSync(path, { cwd: root }).length > 0)).toEqual([]);
});

test('docs/kit.md shows the example as it is tested', () => {
  expect(fencesOf('docs/kit.md', 'ts')).toContain(read('test/integration/docs/greeter.ts'));
});

/** The code in the first column of every table on a page. */
const listedOn = (page: string): string[] =>
  [...read(page).matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([row]) => spansOf(row));

test('docs/kit.md lists every metric of the kit', () => {
  const metrics = new Metrics().registry.getMetricsAsArray().map(({ name }) => name);
  const listed = listedOn('docs/kit.md').filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name));
  expect(listed.toSorted()).toEqual(metrics.toSorted());
});

test('docs/doctor.md lists every check, in its order', () => {
  const checks = [...CLUSTER_CHECKS, ...MACHINE_CHECKS].map(({ name }) => name);
  expect(listedOn('docs/doctor.md').filter((name) => name !== 'Date')).toEqual(checks);
});

test('docs/topology.md tells every reason and every Event of the job', () => {
  const listed = listedOn('docs/topology.md');
  const named = (file: string, pattern: RegExp) => [...read(file).matchAll(pattern)].map(([, name = '']) => name);
  const facts = named('src/topology/reasons.ts', /^ {2}\| \{ readonly fact: '(\w+)'/gm);
  const events = named('src/topology/events.ts', /'(Topology\w+)'/g);
  expect(facts.length + events.length).toBeGreaterThan(20);
  expect([...facts, ...events].filter((name) => !listed.includes(name))).toEqual([]);
});

/** The rows of the tables of threats on a page, cell by cell. */
const threatsOn = (page: string): string[][] =>
  [...read(page).matchAll(/^\| threat \|.*\n\| ---.*\n((?:\|.*\n)+)/gm)].flatMap(([, rows = '']) =>
    rows
      .trim()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
  );

test('docs/security.md names for every threat what stands against it, and a test that shows it', () => {
  const threats = threatsOn('docs/security.md');
  expect(threats.length).toBeGreaterThan(30);
  const isShown = ([, against, shown = '']: string[]) =>
    against !== '' &&
    [...shown.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g)].some(([, path = '']) => existsSync(join(root, path)));
  expect(threats.filter((threat) => !isShown(threat))).toEqual([]);
});

test('docs/adr/0009-dependencies.md lists every dependency', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(listedOn('docs/adr/0009-dependencies.md').toSorted()).toEqual(names.toSorted());
});

test.each(['docs', 'docs/reference'])('%s/README.md leads to every page beside it', (directory) => {
  const others = globSync(`${directory}/*.md`, { cwd: root }).map((path) => basename(path));
  const linked = linksOn(`${directory}/README.md`).map((link) => link.replace(/#.*/, ''));
  expect(others.filter((name) => name !== 'README.md' && !linked.includes(name))).toEqual([]);
});

test('docs/adr/0001-record-decisions.md lists every record', () => {
  const others = globSync('docs/adr/*.md', { cwd: root })
    .map((path) => basename(path))
    .filter((name) => !name.startsWith('0001'));
  expect(linksOn('docs/adr/0001-record-decisions.md').toSorted()).toEqual(others.toSorted());
});

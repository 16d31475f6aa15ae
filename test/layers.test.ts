/** Who may import whom, as docs/design.md draws it. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const JOBS = ['topology', 'devices', 'lvm', 'pool', 'sync'];

interface Import {
  readonly from: string;
  readonly to: string;
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, from, bare]) => {
    const name = from ?? bare ?? '';
    return { from: file, to: name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name };
  });
}

const sources = globSync('src/**/*.ts', { cwd: root });
const imports = sources.flatMap(importsOf);
const isTest = (file: string): boolean => file.endsWith('.test.ts');

/** `src/kit/queue/queue.ts` is in `kit`; `src/main.ts` is in no room. */
const roomOf = (file: string): string | undefined => /^src\/([^/]+)\//.exec(file)?.[1];

const violations = (forbidden: (each: Import) => boolean): string[] =>
  imports.filter(forbidden).map(({ from, to }) => `${from} imports ${to}`);

test('the rules see the imports that there are', () => {
  expect(sources.length).toBeGreaterThan(20);
  expect(imports).toContainEqual({ from: 'src/kit/queue/queue.ts', to: 'src/kit/backoff.ts' });
  expect(imports).toContainEqual({ from: 'src/kit/kube/undici-transport.ts', to: 'undici/lib/dispatcher/client.js' });
});

test('every import of a file of ours leads to a file that exists', () => {
  const known = new Set(globSync('{src,test,tools,bench}/**/*.{ts,tsx,json}', { cwd: root }).concat('package.json'));
  expect(violations(({ to }) => /^(src|test|tools|bench)\//.test(to) && !known.has(to))).toEqual([]);
});

test('the kit imports nothing of ours but the kit', () => {
  expect(violations(({ from, to }) => roomOf(from) === 'kit' && to.startsWith('src/') && roomOf(to) !== 'kit')).toEqual(
    [],
  );
});

test('no job imports another', () => {
  const isJob = (room: string | undefined): boolean => room !== undefined && JOBS.includes(room);
  expect(violations(({ from, to }) => isJob(roomOf(from)) && isJob(roomOf(to)) && roomOf(from) !== roomOf(to))).toEqual(
    [],
  );
});

test('the kinds of objects that jobs look at know nothing of ours but the kit', () => {
  const allowed = ['kit', 'api'];
  const points = ({ from, to }: Import) =>
    to.startsWith('src/') && roomOf(from) === 'api' && !allowed.includes(roomOf(to) ?? '');
  expect(violations(points)).toEqual([]);
});

test('jobs and kit know neither commands nor the sandbox', () => {
  const outer = ['commands', 'sandbox', 'console'];
  const inner = [...JOBS, 'kit', 'api', 'agent'];
  const points = ({ from, to }: Import) => inner.includes(roomOf(from) ?? '') && outer.includes(roomOf(to) ?? '');
  expect(violations((each) => points(each) && !isTest(each.from))).toEqual([]);
});

test('the page takes of the program what the console shows, and what is pure, and the program nothing of the page', () => {
  const page = globSync('web/**/*.{ts,tsx}', { cwd: root }).flatMap(importsOf);
  const taken = new Set(page.map(({ to }) => to).filter((to) => to.startsWith('src/')));
  expect([...taken].sort()).toEqual(['src/console/model.ts', 'src/kit/backoff.ts']);
  expect(violations(({ to }) => to.startsWith('web/'))).toEqual([]);
});

test('the program imports nothing from tests, tools or benchmarks, but the simulator and stand-ins for tests what must never happen', () => {
  const isForTests = (file: string) => /^\/\*\*(?:\s|\*)*For tests\b/.test(readFileSync(join(root, file), 'utf8'));
  const mayKnow = (file: string) => /^src\/(?:sandbox|commands)\/simulate\//.test(file) || isForTests(file);
  const isForbidden = ({ from, to }: Import) =>
    !isTest(from) && /^(test|tools|bench)\//.test(to) && !(to.startsWith('test/invariants/') && mayKnow(from));
  expect(violations(isForbidden)).toEqual([]);
});

test('what must never happen is told without any part of the program', () => {
  const invariants = globSync('test/invariants/*.ts', { cwd: root }).filter((file) => !isTest(file));
  expect(invariants.length).toBeGreaterThan(5);
  expect(invariants.flatMap(importsOf)).toEqual([]);
});

test('only the host part of the kit runs commands', () => {
  const runs = ({ from, to }: Import) =>
    to === 'node:child_process' && !from.startsWith('src/kit/host/') && !isTest(from);
  expect(violations(runs)).toEqual([]);
});

test('decisions are pure: a decide.ts imports no part that does anything', () => {
  const doers =
    /^(node:|undici\b|pino$|prom-client$)|src\/kit\/(kube\/(client|caller|connect)|host|cache|queue|lead|manager|observe)/;
  expect(violations(({ from, to }) => /\/decide\.ts$/.test(from) && doers.test(to))).toEqual([]);
});

test('nobody reads the time or draws random numbers but the clock and the entry points', () => {
  const allowed = /^src\/(kit\/clock\/clock\.ts|commands\/|main\.ts)/;
  const offenders = sources
    .filter((file) => !isTest(file) && !allowed.test(file))
    .filter((file) =>
      /\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|\bset(Timeout|Interval)\(/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    );
  expect(offenders).toEqual([]);
});

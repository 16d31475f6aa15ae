/** Whatever is shipped may be shipped: the licence of every package that the program needs is one that asks for no more than its text. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** All of them let the program be used, changed and passed on under its own licence. */
const ALLOWED = ['Apache-2.0', 'MIT', 'ISC', '0BSD', 'Unlicense', 'PSF-2.0'];

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const packages = Object.entries(read('package-lock.json').packages as Readonly<Record<string, Locked>>);
const shipped = packages.filter(([path, { dev }]) => path !== '' && !dev);
const isInstalled = (path: string): boolean => existsSync(join(root, path, 'package.json'));

test('every package that is shipped is here to be looked at, but those for other processors', () => {
  expect(shipped.length).toBeGreaterThan(Object.keys(read('package.json').dependencies).length);
  const isForOthers = ({ optional, cpu = [] }: Locked) => optional && !cpu.includes(process.arch);
  expect(shipped.filter(([path, locked]) => !isInstalled(path) && !isForOthers(locked))).toEqual([]);
});

test('every package that is shipped has a licence that is allowed', () => {
  const licences = shipped
    .filter(([path]) => isInstalled(path))
    .map(([path]) => [path, read(`${path}/package.json`).license]);
  expect(licences.filter(([, licence]) => !ALLOWED.includes(licence))).toEqual([]);
});

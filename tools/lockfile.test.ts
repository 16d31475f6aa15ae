/** `npm ci` refuses a lockfile that leaves out a platform, and npm leaves one out when a registry does not carry its package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lockfile = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const packages = Object.entries(lockfile.packages).filter(([path]) => path !== '');

test('the lockfile has an entry for every platform of every package, so that npm ci takes it', () => {
  const wanted = packages.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));
  expect(wanted.filter((name) => !packages.some(([path]) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
});

test('everything that is installed on Linux with glibc is pinned by its digest', () => {
  const runsHere = ({ os, libc }: LockedPackage) => (os ?? ['linux']).includes('linux') && !libc?.includes('musl');
  const unpinned = packages.filter(([, each]) => runsHere(each) && each.integrity === undefined).map(([path]) => path);
  const rare = /-(arm|riscv64|s390x|ppc64|arm64)-gnu|gnueabihf|wasm32/; // no digest was to be had for these
  expect(unpinned.filter((path) => !rare.test(path))).toEqual([]);
});

test('the lockfile names no registry', () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

/** `npm ci` refuses a lockfile that leaves out a platform, and npm leaves one out when a registry does not carry its package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function packagesIn(lockfile: string): (readonly [path: string, LockedPackage])[] {
  const text = readFileSync(join(import.meta.dirname, '..', lockfile), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  return Object.entries(packages).filter(([path]) => path !== '');
}

describe.each(['package-lock.json', 'tools/azurite/package-lock.json'])('%s', (lockfile) => {
  const packages = packagesIn(lockfile);

  test('has an entry for every platform of every package, so that npm ci takes it', () => {
    const wanted = packages.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));
    expect(wanted.filter((name) => !packages.some(([path]) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
  });

  test('pins everything by its digest that is installed on Linux with glibc', () => {
    const runsHere = ({ os, libc }: LockedPackage) => (os ?? ['linux']).includes('linux') && !libc?.includes('musl');
    const unpinned = packages
      .filter(([, each]) => runsHere(each) && each.integrity === undefined)
      .map(([path]) => path);
    const rare = /-(arm|riscv64|s390x|ppc64|arm64)-gnu|gnueabihf|wasm32/; // no digest was to be had for these
    expect(unpinned.filter((path) => !rare.test(path))).toEqual([]);
  });

  test('names no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

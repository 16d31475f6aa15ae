/** The packages of npm that are part of the program, as the lockfile has them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Where it was fetched. */
  readonly resolved: string;
  /** As npm writes it: the name of the algorithm and the checksum in base64. */
  readonly integrity: string;
  /** Where it is in this checkout. */
  readonly path: string;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** Each once. Without those of development, and without Node.js itself, which is a package of npm, too. */
export function npmPackages(): readonly NpmPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = Object.entries(lock.packages)
    .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
    .map(([path, { version = '', license = 'NOASSERTION', resolved = '', integrity = '' }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      resolved,
      integrity,
      path: join(root, path),
    }));
  return [...new Map(found.map((each) => [`${each.name}@${each.version}`, each])).values()];
}

/** Benchmarks that belong together. A directory of bench/ with a `group.ts` is a group, but for the one that this file is in. */
import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { World } from '../world/world.ts';
import type { RaceOptions } from './race.ts';
import type { Row } from './row.ts';

export interface Group {
  readonly name: string;
  readonly about: string;
  /** For one that is measured so often, whatever is asked for. */
  readonly rounds?: number;
  /** Pictures on its page, by the names of their files. */
  readonly charts?: Readonly<Record<string, Chart>>;
  readonly benchmarks: readonly Benchmark[];
}

export interface Chart {
  /** What it shows. */
  readonly about: string;
  /** How it is drawn of the results. Without it, a benchmark draws what it alone has seen. */
  readonly of?: (rows: readonly Row[]) => string;
}

export interface Benchmark {
  readonly name: string;
  /** What is compared with what, and what makes it fair. */
  readonly about: string;
  /** Its figures are of one run, however many rounds others have. */
  readonly isRunOnce?: true;
  readonly run: (bench: Bench) => Promise<readonly Row[]>;
}

/** What a benchmark is given to work with. */
export interface Bench extends RaceOptions {
  readonly world: World;
  /** Sizes are shrunk: to see that it runs, not how fast. */
  readonly quick: boolean;
  /** Larger worlds are left out, by the groups that have several sizes. */
  readonly largest: number;
  /** How long a soak takes. */
  readonly minutes: number;
  /** Keeps a picture, one of the group's charts. */
  readonly draw: (file: string, svg: string) => void;
}

const BENCH = new URL('../', import.meta.url);

export function groupNames(): readonly string[] {
  const here = basename(import.meta.dirname);
  return readdirSync(BENCH).filter((name) => name !== here && existsSync(new URL(`${name}/group.ts`, BENCH)));
}

export async function loadGroup(name: string): Promise<Group> {
  const { group } = (await import(new URL(`${name}/group.ts`, BENCH).href)) as { readonly group: Group };
  return group;
}

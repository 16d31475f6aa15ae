/**
 * A seed for what tests leave to chance: another for each commit, so that every change is tried with cases that nobody has tried, and the same
 * for everybody who tests that commit, so that what fails once fails again. `SEED` chooses one.
 */
import { execFileSync } from 'node:child_process';

const SEEDS = 2 ** 31;

export function freshSeed(): number {
  const { SEED } = process.env;
  return SEED ? Number(SEED) % SEEDS : (seedOfCommit() ?? Math.floor(Math.random() * SEEDS));
}

/** None outside of a checkout. */
function seedOfCommit(): number | undefined {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(commit.slice(0, 8), 16) % SEEDS;
  } catch {
    return undefined;
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly freshSeed: number;
  }
}

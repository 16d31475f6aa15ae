/** A sample of the campaign: the same cases every time, and some of each commit's own. */
import { describe, expect, inject, test } from 'vitest';
import { STORIES } from '../../src/commands/simulate/stories.ts';
import { seeded } from '../../src/sandbox/seeded.ts';
import { type Case, casesOf, PARTS, SIZES } from './cases.ts';
import { storiesOf } from './options.ts';
import { playAll } from './players.ts';

/** Of each part, by what a run of the story costs: all of them together take about ten minutes of a processor. */
const RUNS: Readonly<Record<string, number>> = { topology: 4, devices: 9, lvm: 9, pool: 3, sync: 2, together: 1 };
const FIXED_SEED = 1;
const size = SIZES.small ?? expect.unreachable();

/** Some of each part, whichever chance picks, none of them twice. */
function sample(cases: readonly Case[], runs: number, seed: number): readonly Case[] {
  const random = seeded(seed);
  return PARTS.flatMap((part) => {
    const own = cases.filter((each) => each.part === part).map((each) => ({ each, rank: random() }));
    return own
      .toSorted((one, other) => one.rank - other.rank)
      .slice(0, runs)
      .map(({ each }) => each);
  });
}

async function failuresOf(cases: readonly Case[]): Promise<readonly string[]> {
  const failures: string[] = [];
  const told = (_: Case, { wrong, replay }: { readonly wrong: readonly string[]; readonly replay: string }) => {
    if (wrong.length > 0) failures.push(`${wrong.join('; ')}\nsee it again: ${replay}`);
  };
  await playAll(cases, { told });
  return failures;
}

describe.each([...STORIES])('%s survives', (name, story) => {
  const runs = RUNS[name] ?? 1;

  test('the cases of a fixed seed', { timeout: 600_000 }, async () => {
    const cases = await casesOf(story, FIXED_SEED, size);
    expect(await failuresOf(sample(cases, runs, FIXED_SEED))).toEqual([]);
  });

  test('cases of a seed that is another for each commit', { timeout: 600_000 }, async () => {
    const seed = inject('freshSeed');
    console.log(`${name}: seed ${seed}`);
    const cases = await casesOf(story, seed, size);
    expect(await failuresOf(sample(cases, Math.ceil(runs / 2), seed)), `seed ${seed}`).toEqual([]);
  });
});

test('the worlds of a seed are those of that seed', async () => {
  const [topology = expect.unreachable()] = storiesOf(['topology']);
  const cases = await casesOf(topology, 41, { each: 0, random: 0, worlds: 2 });
  expect(new Set(cases.filter(({ part }) => part === 'world').map(({ seed }) => seed))).toEqual(new Set([41, 42]));
});

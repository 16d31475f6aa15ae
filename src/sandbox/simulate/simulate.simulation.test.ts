import { describe, expect, test } from 'vitest';
import { type Fault, inWords } from './fault.ts';
import { report, shrink, simulate, type Verdict } from './simulate.ts';
import { Simulation } from './simulation.ts';
import type { Bug } from './toy.ts';
import { toyStory } from './toy-story.ts';

const MOST_SEEDS = 250;

/** The first seed that fails. */
async function hunt(story: ReturnType<typeof toyStory>): Promise<Verdict | undefined> {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const verdict = await simulate({ seed, story, most: 24 });
    if (verdict.wrong.length > 0) return verdict;
  }
  return undefined;
}

test('a seed makes the same history, byte for byte, and another makes another', async () => {
  const story = toyStory();
  const [one, again, other] = [
    await simulate({ seed: 3, story }),
    await simulate({ seed: 3, story }),
    await simulate({ seed: 4, story }),
  ];
  expect(again.hash).toBe(one.hash);
  expect(again.lines).toEqual(one.lines);
  expect(other.hash).not.toBe(one.hash);
});

test('a controller without bugs comes to the same end, whatever goes wrong', async () => {
  const story = toyStory();
  for (let seed = 1; seed <= 15; seed++) {
    const verdict = await simulate({ seed, story, most: 14 });
    if (verdict.wrong.length > 0) expect.unreachable(report(verdict, story));
  }
});

describe('a classic bug is found, and what it takes is told in a few lines', () => {
  test.each<[Bug, RegExp]>([
    ['finalizer-after-side-effect', /nobody has machine/],
    ['stale-read-before-delete', /was renewed, and is deleted/],
    ['lost-requeue', /./],
    ['write-after-lost-lease', /writes .*, and .* leads/],
    ['status-from-memory', /the end is/],
    ['retry-of-a-create', /two machines|the end is/],
  ])('%s', async (bug, wrong) => {
    const story = toyStory(bug);
    const found = await hunt(story);
    if (!found) expect.unreachable(`no seed up to ${MOST_SEEDS} finds it`);
    const shrunk = await shrink(found, story);
    expect(shrunk.wrong.join()).toMatch(wrong);
    expect(shrunk.faults.map(inWords).length).toBeLessThanOrEqual(3);
    expect(shrunk.steps.length).toBeLessThanOrEqual(3);
    expect(report(shrunk, story)).toContain(`--seed ${found.seed}`);
    const without = await simulate({ seed: found.seed, story: toyStory(), faults: found.faults });
    expect(without.wrong).toEqual([]);
  });
});

/** A lease that is deleted early, and a leader that is stopped much later for longer than its lease lasts. */
test('who writes after its lease is lost is found, also long after somebody has deleted the lease', async () => {
  const story = toyStory('write-after-lost-lease');
  const lease: Fault = { at: 'time', job: 'toy', ms: 1_000, kind: 'lease' };
  const found: string[] = [];
  for (let ms = 20_000; ms <= 60_000 && found.length === 0; ms += 1_000) {
    const pause: Fault = { at: 'time', job: 'toy', ms, kind: 'pause', forMs: 30_000 };
    found.push(...(await simulate({ seed: 3, story, faults: [lease, pause] })).wrong);
  }
  expect(found.join()).toMatch(/writes .*, and .* leads/);
});

test('what happens to a process at a time happens to the one that leads', async () => {
  const lease: Fault = { at: 'time', job: 'toy', ms: 30_000, kind: 'lease' };
  const pauses = [10_000, 60_000].map((ms): Fault => ({ at: 'time', job: 'toy', ms, kind: 'pause', forMs: 30_000 }));
  const { lines, struck } = await simulate({ seed: 3, story: toyStory(), faults: [...pauses, lease] });
  expect(struck).toHaveLength(3);
  expect(lines.filter((line) => line.includes('ended: ')).length).toBeGreaterThan(1);
});

test('nothing is left when a simulation ends: no timer, and nobody who listens', async () => {
  const simulation = new Simulation({ seed: 1, faults: [] });
  simulation.start(toyStory().stage(simulation).jobs);
  await simulation.pass(3_600_000);
  await simulation.end();
  expect(simulation.clock.pending).toBe(0);
});

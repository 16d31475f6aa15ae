/** The five jobs, as their commands put them together, each under exactly its own rights, in a cluster in which things go wrong. */
import { describe, expect, test } from 'vitest';
import { seeded } from '../../sandbox/seeded.ts';
import { report, shrink, simulate } from '../../sandbox/simulate/simulate.ts';
import { Simulation } from '../../sandbox/simulate/simulation.ts';
import { STORIES, storyOf } from './stories.ts';

const SEEDS = 12;
/** A cluster with all jobs costs as much as all the others. */
const SEEDS_TOGETHER = 3;

describe.each([...STORIES])('%s', (name, story) => {
  test('comes to the same end, whatever goes wrong', { timeout: 300_000 }, async () => {
    const seeds = name === 'together' ? SEEDS_TOGETHER : SEEDS;
    for (let seed = 1; seed <= seeds; seed++) {
      const verdict = await simulate({ seed, story, most: 10 });
      if (verdict.wrong.length > 0) expect.unreachable(report(await shrink(verdict, story), story));
    }
  });

  test('does the same for the same seed', async () => {
    const [one, again] = [await simulate({ seed: 7, story }), await simulate({ seed: 7, story })];
    expect(again.hash).toBe(one.hash);
  });

  test('leaves nothing behind when it ends', async () => {
    const simulation = new Simulation({ seed: 1, faults: [] });
    const stage = story.stage(simulation);
    simulation.start(stage.jobs);
    for (const { ms, act } of stage.steps(seeded(1)).toSorted((a, b) => a.ms - b.ms)) {
      await simulation.pass(ms - simulation.clock.monotonic());
      act();
    }
    await simulation.pass(3_600_000);
    await simulation.end();
    expect(simulation.clock.pending).toBe(0);
  });
});

test('all of them come to the same end in processes of their own, too, as the chart runs them', {
  timeout: 300_000,
}, async () => {
  const story = storyOf(['topology', 'devices', 'lvm', 'pool', 'sync']);
  const verdict = await simulate({ seed: 1, story, most: 10 });
  if (verdict.wrong.length > 0) expect.unreachable(report(await shrink(verdict, story), story));
});

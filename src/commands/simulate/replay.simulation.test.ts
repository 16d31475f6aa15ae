/** What a failing run says of itself is true: what it takes, and the command that plays it again. */
import { expect, test } from 'vitest';
import { inWords } from '../../sandbox/simulate/fault.ts';
import { replayOf, type Story, shrink, simulate, type Verdict } from '../../sandbox/simulate/simulate.ts';
import { toyStory } from '../../sandbox/simulate/toy-story.ts';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { devicesStory } from './devices.ts';
import { defineWith } from './simulate.ts';

/** The first seed that fails. */
async function hunt(story: Story): Promise<Verdict> {
  for (let seed = 1; seed <= 250; seed++) {
    const verdict = await simulate({ seed, story, most: 24 });
    if (verdict.wrong.length > 0) return verdict;
  }
  throw new Error('no seed fails');
}

const PLANTED = 'the job ended, which this test forbids';

/** The story of a job whose processes must not end, which is a failure that only faults bring about. */
const forbidsAnEnd: Story = {
  ...devicesStory,
  stage: (simulation) => {
    const stage = devicesStory.stage(simulation);
    const hasEnded = () => simulation.history.lines.some((line) => line.includes('devices-0 ended'));
    return {
      jobs: stage.jobs,
      steps: (random) => stage.steps(random).filter(({ what }) => what !== 'the node loses power'),
      outcome: () => stage.outcome(),
      wrong: () => [...stage.wrong(), ...(hasEnded() ? [PLANTED] : [])],
    };
  },
};

test('a failure of a job is shrunk to what it takes, and not to a story in which too little happens', {
  timeout: 300_000,
}, async () => {
  const found = await hunt(forbidsAnEnd);
  expect(found.wrong).toEqual([PLANTED]);
  const shrunk = await shrink(found, forbidsAnEnd);
  expect(shrunk.wrong).toEqual([PLANTED]);
  expect(shrunk.faults.map(inWords)).toEqual([expect.stringContaining('crash')]);
  const wanting = shrunk.steps.map(({ what }) => what).filter((what) => /^tenant-.* wants a disk$/.test(what));
  expect(wanting).toHaveLength(2);
  const undisturbed = await simulate({ seed: found.seed, story: devicesStory, faults: [] });
  expect(undisturbed.wrong).toEqual([]);
});

test('the command that a failing run names plays it again, and fails of the same', { timeout: 300_000 }, async () => {
  const story = { ...toyStory('finalizer-after-side-effect'), name: 'topology' };
  const stories = new Map([[story.name, story]]);
  const commands = [
    {
      group: 'look' as const,
      name: 'simulate',
      summary: '',
      load: async () => ({ define: defineWith(stories) }),
    },
  ];
  const run = async (args: readonly string[]) => {
    const terminal = aTerminal();
    const code = await runCommandLine({ commands, examples: {} }, invokedAs('holdfast'), args, terminal);
    return { code, ...terminal.written };
  };
  const { seed, hash, faults } = await hunt(story);
  const whole = replayOf({ seed, world: [], faults }, story);
  const first = await run(words(whole));
  expect(first.out).toContain(`seed ${seed}: FAILED, ${faults.length} faults, ${hash}`);
  expect(first.code).not.toBe(0);
  const replay = /see it again: holdfast (.*)/.exec(first.err)?.[1] ?? '';
  const again = await run(words(`holdfast ${replay}`));
  expect(again.out).toContain(`seed ${seed}: FAILED`);
  expect(again.err).toMatch(/nobody has machine/);
});

/** As a shell would take the line apart, without the program itself. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].slice(1).map(([, quoted, bare]) => quoted ?? bare ?? '');

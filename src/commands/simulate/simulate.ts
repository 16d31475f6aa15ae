/** `holdfast simulate`: runs our controllers in a cluster on virtual time in which things go wrong, and says which seed they do not survive. */
import { report, shrink, simulate } from '../../sandbox/simulate/simulate.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import { integer } from '../flags/integer.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { STORIES } from './stories.ts';

const flags = {
  story: flag('--story', 'what to simulate', choice('topology', 'devices', 'lvm', 'pool', 'sync'), {
    default: 'topology',
  }),
  seed: flag('--seed', 'where to begin; everything follows from it', integer(0, 2 ** 31 - 1), { default: '1' }),
  runs: flag('--runs', 'how many seeds, one after another', integer(1, 1_000_000), { default: '1' }),
  faults: flag('--faults', 'how many faults there are at most in each', integer(0, 1_000), { default: '6' }),
};

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast simulate --seed 42': 'see a run again that failed',
    'holdfast simulate --runs 100': 'a hundred hours of a cluster, in about a minute',
  });
  runs(command, flags, terminal, async (options) => {
    const story = STORIES.get(options.story);
    if (!story) throw new Error(`there is no story ${options.story}`);
    for (let seed = options.seed; seed < options.seed + options.runs; seed++) {
      const verdict = await simulate({ seed, story, most: options.faults });
      terminal.stdout.write(
        `seed ${seed}: ${verdict.wrong.length === 0 ? 'well' : 'FAILED'}, ${verdict.faults.length} faults, ${verdict.hash}\n`,
      );
      if (verdict.wrong.length > 0) throw new Error(report(await shrink(verdict, story), story));
    }
  });
};

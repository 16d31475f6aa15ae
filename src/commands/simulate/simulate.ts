/** `holdfast simulate`: runs our controllers in a cluster on virtual time in which things go wrong, and says which seed they do not survive. */

import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Fault } from '../../sandbox/simulate/fault.ts';
import { faultIn } from '../../sandbox/simulate/fault.ts';
import { report, type Story, shrink, simulate } from '../../sandbox/simulate/simulate.ts';
import { choice } from '../flags/choice.ts';
import { flag, type Kind } from '../flags/flag.ts';
import { integer } from '../flags/integer.ts';
import { listOf } from '../flags/list.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { STORIES, storyOf } from './stories.ts';

/** As a failing run tells it. */
const faultKind: Kind<readonly Fault[]> = {
  placeholder: 'fault',
  allowed: 'the words in which a failing run tells a fault',
  example: "'topology: pause at PATCH /api/v1/persistentvolumes/zonal-0, number 1'",
  parse(text) {
    const fault = faultIn(text);
    if (!fault) throw new InvalidValue('fault', text, 'it is no fault');
    return [fault];
  },
  combine: (earlier, later) => [...earlier, ...later],
};

const worldKind: Kind<readonly string[]> = {
  placeholder: 'change',
  allowed: 'the words in which a failing run tells a change of the world',
  example: "'a node is moved to another zone'",
  parse: (text) => [text],
  combine: (earlier, later) => [...earlier, ...later],
};

const jobKind = choice('topology', 'devices', 'lvm', 'pool', 'sync');

const flags = {
  story: flag('--story', 'what to simulate', choice('topology', 'devices', 'lvm', 'pool', 'sync', 'together'), {
    default: 'topology',
  }),
  seed: flag('--seed', 'where to begin; everything follows from it', integer(0, 2 ** 31 - 1), { default: '1' }),
  runs: flag('--runs', 'how many seeds, one after another', integer(1, 1_000_000), { default: '1' }),
  faults: flag('--faults', 'how many faults there are at most in each', integer(0, 1_000), { default: '6' }),
  fault: flag('--fault', 'exactly this fault, and no other; may be given several times', faultKind, {}),
  world: flag('--world', 'a change that the world goes through; may be given several times', worldKind, {}),
  jobs: flag('--jobs', 'these jobs together in one cluster, instead of a story', listOf(jobKind), {}),
};

export const define: Define = (command, terminal) => defineWith(STORIES)(command, terminal);

/** With other stories behind the names, for tests. */
export const defineWith =
  (stories: ReadonlyMap<string, Story>): Define =>
  (command, terminal) => {
    addExamples(command, {
      'holdfast simulate --seed 42': 'see a run again that failed',
      'holdfast simulate --runs 100': 'a hundred hours of a cluster, in about a minute',
    });
    runs(command, flags, terminal, async (options) => {
      const story = options.jobs ? storyOf(options.jobs) : stories.get(options.story);
      if (!story) throw new Error(`there is no story ${options.story}`);
      const { fault: faults, world = [] } = options;
      for (let seed = options.seed; seed < options.seed + options.runs; seed++) {
        const verdict = await simulate({ seed, story, world, most: options.faults, ...(faults && { faults }) });
        terminal.stdout.write(
          `seed ${seed}: ${verdict.wrong.length === 0 ? 'well' : 'FAILED'}, ${verdict.faults.length} faults, ${verdict.hash}\n`,
        );
        if (verdict.wrong.length > 0) throw new Error(report(await shrink(verdict, story), story));
      }
    });
  };

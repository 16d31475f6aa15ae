/** Simulates a story with so many seeds. */
import { STORIES } from '../../../src/commands/simulate/stories.ts';
import { simulate } from '../../../src/sandbox/simulate/simulate.ts';

export interface Simulated {
  readonly histories: number;
  readonly failed: number;
}

const [name = '', first = '1', count = '1'] = process.argv.slice(2);
const story = STORIES.get(name);
if (!story) throw new Error(`there is no story ${name}`);
let histories = 0;
let failed = 0;
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const { faults, wrong } = await simulate({ seed, story, most: 10 });
  histories += faults.length === 0 ? 1 : 2;
  if (wrong.length > 0) failed += 1;
}
process.stdout.write(JSON.stringify({ histories, failed } satisfies Simulated));

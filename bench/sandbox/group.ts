/** What the sandbox costs: to start, to write to, to hold many objects and watchers, and to simulate hours. */
import type { Group } from '../measure/group.ts';
import { histories } from './histories.ts';
import { holding } from './holding.ts';
import { starting } from './starting.ts';
import { writing } from './writing.ts';

export const group: Group = {
  name: 'sandbox',
  about:
    'A cluster inside of the process: how soon it is there, what a write costs, what it holds, and how fast hours pass in it.',
  benchmarks: [starting, writing, holding, histories],
};

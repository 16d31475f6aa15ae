/** Every story that can be simulated, by its name: each job alone, and all of them together, with one process for those that a cluster has once. */
import type { Story } from '../../sandbox/simulate/simulate.ts';
import { devicesStory } from './devices.ts';
import { lvmStory } from './lvm.ts';
import { poolStory } from './pool.ts';
import { syncStory } from './sync.ts';
import { together } from './together.ts';
import { topologyStory } from './topology.ts';

const alone: readonly Story[] = [topologyStory, devicesStory, lvmStory, poolStory, syncStory];

/** These jobs, each in processes of its own. */
export function storyOf(jobs: readonly string[]): Story {
  const chosen = alone.filter(({ name }) => jobs.includes(name));
  return together(jobs.join(','), chosen, 'their own');
}

export const STORIES: ReadonlyMap<string, Story> = new Map(
  [...alone, together('together', alone, 'one')].map((story) => [story.name, story]),
);

/** Every story that can be simulated, by its name: each job alone, and all of them together. */
import type { Story } from '../../sandbox/simulate/simulate.ts';
import { devicesStory } from './devices.ts';
import { lvmStory } from './lvm.ts';
import { poolStory } from './pool.ts';
import { syncStory } from './sync.ts';
import { together } from './together.ts';
import { topologyStory } from './topology.ts';

const alone: readonly Story[] = [topologyStory, devicesStory, lvmStory, poolStory, syncStory];

/** These jobs, alone or together. */
export function storyOf(jobs: readonly string[]): Story {
  const chosen = alone.filter(({ name }) => jobs.includes(name));
  return together(jobs.join(','), chosen);
}

export const STORIES: ReadonlyMap<string, Story> = new Map(
  [...alone, together('together', alone)].map((story) => [story.name, story]),
);

/** Every story that can be simulated, by its name. */
import type { Story } from '../../sandbox/simulate/simulate.ts';
import { devicesStory } from './devices.ts';
import { lvmStory } from './lvm.ts';
import { poolStory } from './pool.ts';
import { syncStory } from './sync.ts';
import { topologyStory } from './topology.ts';

const stories: readonly Story[] = [topologyStory, devicesStory, lvmStory, poolStory, syncStory];

export const STORIES: ReadonlyMap<string, Story> = new Map(stories.map((story) => [story.name, story]));

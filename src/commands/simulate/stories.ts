/** Every story that can be simulated, by its name. */
import type { Story } from '../../sandbox/simulate/simulate.ts';
import { topologyStory } from './topology.ts';

export const STORIES: Readonly<Record<string, Story>> = { topology: topologyStory };

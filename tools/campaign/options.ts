/** What a campaign is asked for on its command line, read strictly: a number that is none would never end it. */
import { STORIES } from '../../src/commands/simulate/stories.ts';
import type { Story } from '../../src/sandbox/simulate/simulate.ts';
import { SIZES, type Size } from './cases.ts';

export function sizeOf(name: string): Size {
  const size = SIZES[name];
  if (!size) throw new Error(`there is no size ${name}: use ${Object.keys(SIZES).join(', ')}`);
  return size;
}

export function seedOf(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${JSON.stringify(text)} is no seed: use a whole number`);
  return Number(text);
}

/** No end without it. */
export function minutesOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const minutes = Number.parseFloat(text);
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new Error(`${JSON.stringify(text)} are no minutes: use a number`);
  return minutes;
}

export function storiesOf(names: readonly string[]): readonly Story[] {
  return names.map((name) => {
    const story = STORIES.get(name);
    if (!story) throw new Error(`there is no story ${name}: use ${[...STORIES.keys()].join(', ')}`);
    return story;
  });
}

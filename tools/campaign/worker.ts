/** Plays one case after another, as it is told; on a processor of its own. */
import { parentPort } from 'node:worker_threads';
import { STORIES } from '../../src/commands/simulate/stories.ts';
import type { Fault } from '../../src/sandbox/simulate/fault.ts';
import { Rehearsal, report, type Story, shrink, type Verdict } from '../../src/sandbox/simulate/simulate.ts';
import { type Case, replayOfCase } from './cases.ts';

/** What came of a case. */
export interface Played {
  readonly wrong: readonly string[];
  /** The faults that something has met. */
  readonly struck: readonly Fault[];
  readonly replay: string;
}

/** A case to play; one to make as short as it can be is told in words. */
export type Asked = { readonly play: Case } | { readonly shrink: Case };

/** How often a shorter history is tried: each takes a whole run. */
const MOST_TRIES = 40;
/** The last few: a campaign plays many cases of the same seed. */
const MOST_REHEARSALS = 4;
const rehearsals = new Map<string, Promise<Rehearsal>>();

function storyOf({ story: name }: Case): Story {
  const story = STORIES.get(name);
  if (!story) throw new Error(`there is no story ${name}`);
  return story;
}

function rehearsed(each: Case): Promise<Rehearsal> {
  const { seed, world } = each;
  const key = JSON.stringify([each.story, seed, world]);
  const known = rehearsals.get(key) ?? Rehearsal.of({ seed, world, story: storyOf(each) });
  rehearsals.delete(key);
  rehearsals.set(key, known);
  if (rehearsals.size > MOST_REHEARSALS) rehearsals.delete([...rehearsals.keys()][0] ?? '');
  return known;
}

async function verdictOn(each: Case): Promise<Verdict> {
  return (await rehearsed(each)).verdictOn(each.faults);
}

async function answer(asked: Asked): Promise<Played | string> {
  if ('shrink' in asked) {
    const story = storyOf(asked.shrink);
    return report(await shrink(await verdictOn(asked.shrink), story, MOST_TRIES), story);
  }
  const { wrong, struck } = await verdictOn(asked.play);
  return { wrong, struck, replay: replayOfCase(asked.play) };
}

function failureOf(asked: Asked, { stack = '' }: Error): Played | string {
  const what = `the simulator fails: ${stack}`;
  return 'shrink' in asked ? what : { wrong: [what], struck: [], replay: replayOfCase(asked.play) };
}

parentPort?.on('message', async (asked: Asked) => {
  parentPort?.postMessage(await answer(asked).catch((error: Error) => failureOf(asked, error)));
});

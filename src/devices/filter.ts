/**
 * The filter of device names. It comes from a ConfigMap, so it runs in linear time whatever it says, in an engine that takes what Go
 * takes: docs/adr/0013-re2js-for-filters.md.
 */
import { RE2JS } from 're2js';

/** A list of a hundred names as they are in /dev/disk/by-path. */
const LONGEST_FILTER = 4_000;
/** Repetitions are written out when a filter is compiled, which takes about a kilobyte for each step. */
const MOST_WRITTEN_OUT = 50_000;
/** What a filter costs grows with its steps times the length of a name. */
const MOST_STEPS = 10_000;
/** The engine refuses more. */
const MOST_REPETITIONS = 1_000;

export type NameFilter = (name: string) => boolean;

/** Or what is wrong with one that cannot be used. */
export function parseFilter(text: string): NameFilter | { readonly fault: string } {
  if (text.length > LONGEST_FILTER)
    return { fault: `it has ${text.length} characters, and ${LONGEST_FILTER} is the most` };
  if (text.length * repetitionsIn(text) > MOST_WRITTEN_OUT) return TOO_LARGE;
  try {
    const pattern = RE2JS.compile(text);
    return pattern.programSize() > MOST_STEPS ? TOO_LARGE : (name) => pattern.matcher(name).find();
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

const TOO_LARGE = { fault: 'its repetitions make it too large: shorten it, or use + or * instead of counts' } as const;

/** At most this often any part of it is written out: as if each count stood within the others. */
function repetitionsIn(text: string): number {
  let product = 1;
  for (const [, least, most] of text.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g))
    product *= Math.max(1, Number(least), Number(most ?? 0));
  return Math.min(product, MOST_REPETITIONS);
}

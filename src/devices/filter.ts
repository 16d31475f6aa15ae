/** The filter of device names. It comes from a ConfigMap, so it runs in linear time whatever it says. */
import { RE2JS } from 're2js';

/** Longer ones are not written by people. What a filter costs grows with its length. */
const LONGEST_FILTER = 1_000;

export type NameFilter = (name: string) => boolean;

/** Says what is wrong with a filter that cannot be used. */
export function parseFilter(text: string): NameFilter | { readonly fault: string } {
  if (text.length > LONGEST_FILTER) return { fault: `it is longer than ${LONGEST_FILTER} characters` };
  try {
    const pattern = RE2JS.compile(text);
    return (name) => pattern.matcher(name).find();
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

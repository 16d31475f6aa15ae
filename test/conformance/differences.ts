/** What two servers answered differently to the same steps. */
import { isDeepStrictEqual } from 'node:util';
import { masked } from './mask.ts';
import type { Exchange } from './play.ts';
import type { Step } from './steps.ts';

export interface Differences {
  readonly sandbox: Readonly<Record<string, Exchange | undefined>>;
  readonly real: Readonly<Record<string, Exchange | undefined>>;
}

/** Only the steps that differ, so that a diff of the two shows nothing else. */
export function differences(
  steps: readonly Step[],
  sandbox: readonly Exchange[],
  real: readonly Exchange[],
): Differences {
  const beginnings = steps.flatMap(beginningsIn);
  const ours = masked(sandbox, beginnings);
  const theirs = masked(real, beginnings);
  const differing = [...steps.keys()].filter((index) => !isDeepStrictEqual(ours[index], theirs[index]));
  const those = (exchanges: readonly Exchange[]) =>
    Object.fromEntries(differing.map((index) => [`step ${index + 1}`, exchanges[index]]));
  return { sandbox: those(ours), real: those(theirs) };
}

/** Where an object leaves the rest of its name to the server. */
function beginningsIn(step: Step): readonly string[] {
  if (step.does !== 'ask' || typeof step.body !== 'object' || step.body === null) return [];
  const { metadata } = step.body as { readonly metadata?: { readonly generateName?: string } };
  return metadata?.generateName ? [metadata.generateName] : [];
}

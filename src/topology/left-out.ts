/** Labels that could be told and are not written, each with the fact that forbids it. Pure. */
import { LONGEST_LABEL_PART } from '../kit/names.ts';
import type { Volume } from './cached.ts';
import { namesPlace, type Policy } from './contract.ts';
import type { Difference, Reason } from './reasons.ts';
import type { Spread } from './spread.ts';
import { labelOf, nameTheSame } from './values.ts';

/** By the keys of the labels. */
export type LeftOut = ReadonlyMap<string, Reason>;

type Guard = (spreads: readonly Spread[], volume: Volume, policy: Policy) => Reason | undefined;

/**
 * Zone and region are left out together: one of them beside another place's would name a place that there is not. Every other label is
 * judged by itself, and keeps none from being written.
 */
export function leftOutOf(spreads: readonly Spread[], volume: Volume, policy: Policy): LeftOut {
  const together = Map.groupBy(spreads, ({ key }) => (namesPlace(key) ? 'the place' : key));
  return new Map(
    [...together.values()].flatMap((group) => {
      const reason = GUARDS.values()
        .map((guard) => guard(group, volume, policy))
        .find(Boolean);
      return reason ? group.map(({ key }) => [key, reason] as const) : [];
    }),
  );
}

const usedInSeveralPlaces: Guard = (spreads, _volume, { multiZone }) => {
  const several = multiZone === 'skip' && spreads.find(({ values }) => values.length > 1);
  return several ? { ...several, fact: 'usedInSeveralPlaces' } : undefined;
};

const placesDoNotFit: Guard = (spreads) => {
  const tooLong = labelsOf(spreads).find(([, label]) => label.length > LONGEST_LABEL_PART);
  return tooLong && { fact: 'placesDoNotFit', key: tooLong[0], label: tooLong[1] };
};

const anotherValueIsKept: Guard = (spreads, volume, { overwrite }) => {
  const differences = overwrite === 'missing' ? differencesOf(volume, labelsOf(spreads)) : [];
  return differences.length > 0 ? { fact: 'anotherValueIsKept', differences } : undefined;
};

const GUARDS: readonly Guard[] = [usedInSeveralPlaces, placesDoNotFit, anotherValueIsKept];

const labelsOf = (spreads: readonly Spread[]) => spreads.map(({ key, values }) => [key, labelOf(values)] as const);

/** Those of the labels that the volume has with another value. */
export const differencesOf = (
  volume: Volume,
  labels: readonly (readonly [key: string, label: string])[],
): readonly Difference[] =>
  labels.flatMap(([key, wanted]) => {
    const is = volume.labels[key];
    if (!is || nameTheSame(is, wanted)) return [];
    const writer = volume.writers[key];
    return [{ key, is, wanted, ...(writer !== undefined && { writer }) }];
  });

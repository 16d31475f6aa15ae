/** The value of a topology label as the set of places that it names. */
import { labelValueFault } from '../kit/names.ts';
import { SEPARATOR } from './contract.ts';

/** What a label that may be missing or empty names. The order does not count. */
export const valuesIn = (label: string | undefined): readonly string[] =>
  (label ?? '').split(SEPARATOR).filter((value) => value !== '');

/** Sorted, so that the same places always make the same label. */
export const labelOf = (values: Iterable<string>): string => [...new Set(values)].sort().join(SEPARATOR);

/** `b__a` is as good as `a__b`: to rewrite it would change nothing but the version. */
export const nameTheSame = (one: string | undefined, other: string | undefined): boolean =>
  labelOf(valuesIn(one)) === labelOf(valuesIn(other));

/**
 * Why a node's value cannot stand on a volume; nothing when it can. The scheduler would read a value with the separator in it as
 * several, none of which is the node's own.
 */
export function valueFault(value: string): string | undefined {
  if (value === '') return 'it is empty';
  if (value.includes(SEPARATOR)) return `it contains "${SEPARATOR}", which separates several places`;
  return labelValueFault(value);
}

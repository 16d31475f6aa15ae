/** The value of a topology label as the set of places that it names. */
import { labelValueFault } from '../kit/names.ts';
import { SEPARATOR } from './contract.ts';

/** What a label names, in no particular order; nothing when it is missing, or one that the scheduler cannot read. */
export function valuesIn(label: string | undefined): readonly string[] {
  const parts = (label ?? '').split(SEPARATOR);
  return parts.every((part) => valueFault(part) === undefined) ? parts : [];
}

/** Sorted, so that the same places always make the same label. */
export const labelOf = (values: Iterable<string>): string => [...new Set(values)].sort().join(SEPARATOR);

/** `b__a` is as good as `a__b`: to rewrite it would change nothing but the version. */
export const nameTheSame = (label: string | undefined, wanted: string): boolean =>
  label === wanted || labelOf(valuesIn(label)) === wanted;

/** Whether all that a label names is named by another one, too. */
export const isPartOf = (label: string, of: string | undefined): boolean =>
  valuesIn(label).every((value) => valuesIn(of).includes(value));

/** Nearly every value is one of these, and there is one for each user of a volume: whether it is must be cheap to ask. */
const ORDINARY = /^[A-Za-z0-9](?:[-A-Za-z0-9.]{0,61}[A-Za-z0-9])?$/;

/**
 * Why a node's value cannot stand on a volume; nothing when it can. The scheduler would read a value with the separator in it as
 * several, none of which is the node's own.
 */
export function valueFault(value: string): string | undefined {
  if (ORDINARY.test(value)) return undefined;
  if (value === '') return 'it is empty';
  if (value.includes(SEPARATOR)) return `it contains "${SEPARATOR}", which separates several places`;
  return labelValueFault(value);
}

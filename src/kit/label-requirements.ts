/** One condition on labels, such as `zone in (a,b)`: the part that label selectors and node selectors are made of. */
import { quote } from './invalid-value.ts';
import { labelKeyFault, labelValueFault } from './names.ts';

export type Labels = Readonly<Record<string, string>>;

export type LabelRequirement =
  | { readonly key: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'Exists' | 'DoesNotExist' }
  | { readonly key: string; readonly operator: 'Gt' | 'Lt'; readonly bound: bigint };

/** A condition as it stands in an object, not yet checked. */
export interface WrittenRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

/** The condition, or the sentence that says why it is none. Values come back sorted and without repetition. */
export function readRequirement({ key, operator, values }: WrittenRequirement): LabelRequirement | string {
  const given = values ?? [];
  const fault = labelKeyFault(key) ?? given.map(labelValueFault).find((found) => found !== undefined);
  if (fault !== undefined) return fault;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (given.length === 0) return `${operator} on ${quote(key)} needs at least one value`;
      return { key, operator, values: [...new Set(given)].sort() };
    case 'Exists':
    case 'DoesNotExist':
      if (given.length > 0) return `${operator} on ${quote(key)} takes no values`;
      return { key, operator };
    case 'Gt':
    case 'Lt':
      return readBound(key, operator, given);
    default:
      return `the operator ${quote(operator)} is unknown`;
  }
}

function readBound(key: string, operator: 'Gt' | 'Lt', values: readonly string[]): LabelRequirement | string {
  const bound = values.length === 1 ? readInteger(values[0] ?? '') : undefined;
  if (bound === undefined) return `${operator} on ${quote(key)} needs exactly one value, a whole number below 2^63`;
  return { key, operator, bound };
}

/** A decimal number that fits into 64 bits, as Go reads it. */
function readInteger(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Labels without the key satisfy `NotIn` and `DoesNotExist` only. */
export function satisfies(labels: Labels, requirement: LabelRequirement): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return isBeyond(value, requirement.operator, requirement.bound);
  }
}

function isBeyond(value: string | undefined, side: 'Gt' | 'Lt', bound: bigint): boolean {
  const number = value === undefined ? undefined : readInteger(value);
  if (number === undefined) return false;
  return side === 'Gt' ? number > bound : number < bound;
}

/** The condition in the syntax of `kubectl --selector` and the API's `labelSelector` parameter. */
export function formatRequirement(requirement: LabelRequirement): string {
  const { key } = requirement;
  switch (requirement.operator) {
    case 'In':
      return requirement.values.length === 1 ? `${key}=${requirement.values[0]}` : `${key} in (${requirement.values})`;
    case 'NotIn':
      return requirement.values.length === 1
        ? `${key}!=${requirement.values[0]}`
        : `${key} notin (${requirement.values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${requirement.bound}`;
    case 'Lt':
      return `${key}<${requirement.bound}`;
  }
}

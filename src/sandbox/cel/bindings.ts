/** Which type fits where another is wanted, and what open types turn out to be on the way. */
import { DYN, isSame, isScalar, listOf, mapOf, optionalOf, type StaticType } from './static-types.ts';

type Bound = Map<string, StaticType>;

export class Bindings {
  #bound: Bound = new Map();
  #count = 0;

  open(): StaticType {
    this.#count += 1;
    return { is: 'open', name: `_var${this.#count - 1}` };
  }

  /** Whether each of the types fits where the other is wanted. Nothing is bound where one does not. */
  fit(given: readonly StaticType[], wanted: readonly StaticType[]): boolean {
    const bound = new Map(this.#bound);
    if (given.length !== wanted.length) return false;
    if (!given.every((each, index) => fits(bound, each, wanted[index] ?? DYN))) return false;
    this.#bound = bound;
    return true;
  }

  /** What it has turned out to be. */
  known(type: StaticType): StaticType {
    return substituted(this.#bound, type, false);
  }

  /** The same, and what is still open may be anything. */
  settled(type: StaticType): StaticType {
    return substituted(this.#bound, type, true);
  }
}

/** The same type with others in the place of those that are open. */
export function substituted(bound: ReadonlyMap<string, StaticType>, type: StaticType, isLast: boolean): StaticType {
  switch (type.is) {
    case 'open': {
      const found = bound.get(type.name);
      if (found) return substituted(bound, found, isLast);
      return isLast ? DYN : type;
    }
    case 'list':
      return listOf(substituted(bound, type.of, isLast));
    case 'optional':
      return optionalOf(substituted(bound, type.of, isLast));
    case 'type':
      return { is: 'type', of: substituted(bound, type.of, isLast) };
    case 'map':
      return mapOf(substituted(bound, type.key, isLast), substituted(bound, type.of, isLast));
    default:
      return type;
  }
}

function fits(bound: Bound, given: StaticType, wanted: StaticType): boolean {
  if (wanted.is === 'open') {
    const { isValid, isKnown } = substitutes(bound, given, wanted);
    if (isValid || isKnown) return isValid;
  }
  if (given.is === 'open') return substitutes(bound, wanted, given).isValid;
  if (isAnything(given) || isAnything(wanted)) return true;
  if (isScalar(given, 'null')) return isScalar(wanted, 'null') || isNullable(wanted);
  if (isScalar(wanted, 'null')) return isNullable(given);
  switch (given.is) {
    case 'list':
    case 'optional':
      return given.is === wanted.is && fits(bound, given.of, wanted.of);
    case 'map':
      return wanted.is === 'map' && fits(bound, given.key, wanted.key) && fits(bound, given.of, wanted.of);
    case 'type':
      return wanted.is === 'type';
    default:
      return isSame(given, wanted);
  }
}

export const isAnything = ({ is }: StaticType): boolean => is === 'dyn' || is === 'error';

const isNullable = (type: StaticType): boolean =>
  type.is === 'object' || type.is === 'optional' || isScalar(type, 'timestamp', 'duration');

function substitutes(
  bound: Bound,
  type: StaticType,
  open: StaticType & { is: 'open' },
): { readonly isValid: boolean; readonly isKnown: boolean } {
  if (isSame(type, open)) return { isValid: true, isKnown: true };
  const known = bound.get(open.name);
  if (known === undefined) {
    if (mentions(bound, type, open.name)) return { isValid: false, isKnown: false };
    bound.set(open.name, type);
    return { isValid: true, isKnown: false };
  }
  if (!isSame(type, known)) {
    if (!fits(bound, type, known)) return { isValid: false, isKnown: true };
    const general = mostGeneral(type, known);
    if (!mentions(bound, general, open.name)) bound.set(open.name, general);
  }
  return { isValid: true, isKnown: true };
}

function mentions(bound: Bound, type: StaticType, name: string): boolean {
  switch (type.is) {
    case 'open': {
      const known = bound.get(type.name);
      return type.name === name || (known !== undefined && mentions(bound, known, name));
    }
    case 'map':
      return mentions(bound, type.key, name) || mentions(bound, type.of, name);
    case 'list':
    case 'optional':
    case 'type':
      return mentions(bound, type.of, name);
    default:
      return false;
  }
}

export const mostGeneral = (one: StaticType, other: StaticType): StaticType =>
  isNoMoreSpecific(one, other) ? one : other;

function isNoMoreSpecific(one: StaticType, other: StaticType): boolean {
  if (one.is === 'dyn' || one.is === 'open') return true;
  if (one.is === 'map') {
    return other.is === 'map' && isNoMoreSpecific(one.key, other.key) && isNoMoreSpecific(one.of, other.of);
  }
  if (one.is === 'list' || one.is === 'optional') return one.is === other.is && isNoMoreSpecific(one.of, other.of);
  return one.is === 'type' ? other.is === 'type' : isSame(one, other);
}

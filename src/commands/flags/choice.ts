/** Flags whose value is one of a few words. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

/** One of the given words, spelled exactly so. */
export function choice<const T extends string>(first: T, ...others: readonly T[]): Kind<T> {
  const words: readonly T[] = [first, ...others];
  const allowed = words.length === 1 ? first : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return {
    placeholder: words.join('|'),
    allowed,
    example: first,
    parse(text) {
      const found = words.find((word) => word === text);
      if (found === undefined) throw new InvalidValue('choice', text, 'there is no such choice');
      return found;
    },
  };
}

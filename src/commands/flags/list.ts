/** Flags that hold several values: separated by commas, or the flag several times, or both. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

/** A list of values of one kind. Blanks around a value do not count, and the same text twice is one. */
export function listOf<T>(kind: Kind<T>): Kind<readonly T[]> {
  return {
    placeholder: `${kind.placeholder},...`,
    allowed: `a list, separated by commas, of ${kind.allowed}`,
    example: kind.example,
    parse(text) {
      const items = text.split(',').map((item) => item.trim());
      if (items.includes('')) throw new InvalidValue('list', text, 'a value in it is empty');
      return [...new Set(items)].map((item) => kind.parse(item));
    },
    combine: (earlier, later) => [...new Set([...earlier, ...later])],
  };
}

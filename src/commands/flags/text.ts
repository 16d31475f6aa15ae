/** Flags that hold a name, a path or other text that is checked elsewhere, if at all. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

/** Any text but the empty one. */
export function text(placeholder: string, example: string): Kind<string> {
  return {
    placeholder,
    allowed: `a ${placeholder}`,
    example,
    parse(given) {
      if (given.trim() === '') throw new InvalidValue(placeholder, given, 'it is empty');
      return given;
    },
  };
}

/** Flags that hold a whole number between two bounds. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

/** A whole number in decimal, the bounds included. */
export function integer(least: number, greatest: number): Kind<number> {
  return {
    placeholder: 'number',
    allowed: `a whole number from ${least} to ${greatest}`,
    example: `${least}`,
    parse(text) {
      if (!/^[+-]?[0-9]+$/.test(text)) throw new InvalidValue('whole number', text, 'it is not a whole number');
      const value = Number(text);
      if (value < least) throw new InvalidValue('whole number', text, `it is less than ${least}`);
      if (value > greatest) throw new InvalidValue('whole number', text, `it is more than ${greatest}`);
      return value;
    },
  };
}

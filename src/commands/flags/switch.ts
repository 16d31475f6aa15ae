/** Flags that are on or off: `--x`, `--x=true`, `--x=false`, in the spellings that Go reads. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

const ON = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const OFF = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

export const onOff: Kind<boolean> = {
  placeholder: 'true|false',
  allowed: 'true or false',
  example: 'true',
  isSwitch: true,
  parse(text) {
    if (ON.has(text)) return true;
    if (OFF.has(text)) return false;
    throw new InvalidValue('switch', text, 'it is neither true nor false');
  },
};

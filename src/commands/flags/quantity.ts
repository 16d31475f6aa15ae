/** Flags that hold an amount, written as Kubernetes writes it. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import { Quantity } from '../../kit/quantity.ts';
import type { Kind } from './flag.ts';

export const quantity: Kind<Quantity> = {
  placeholder: 'quantity',
  allowed: 'a quantity that is not negative',
  example: '10Gi',
  parse(text) {
    const parsed = Quantity.parse(text);
    if (parsed.nano < 0n) throw new InvalidValue('quantity', text, 'it is negative');
    return parsed;
  },
};

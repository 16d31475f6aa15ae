/** From the capacity that a volume asks for to what LVM allocates: whole extents, never less than asked for. */
import { InvalidValue } from '../kit/invalid-value.ts';
import { Quantity, roundUpToMultiple } from '../kit/quantity.ts';
import { shown } from './options/shown.ts';

/** LVM counts in 64 bits with a sign. A quantity such as `16Ei` is read as the largest that is less than this, like the API server does. */
const TOO_LARGE = 2n ** 63n - 1n;

export type Size = { readonly bytes: bigint } | { readonly fault: string };

/** Whole bytes, rounded up. A fault is how a sentence goes on that begins with the name of the field. */
export function readSize(text: string): Size {
  const quantity = readQuantity(text);
  if (typeof quantity === 'string') return { fault: `cannot be ${shown(text)}: ${quantity}` };
  const bytes = quantity.toBytesCeil();
  const fault = amountFault(bytes);
  return fault === undefined ? { bytes } : { fault: `cannot be ${shown(text)}: ${fault}` };
}

function readQuantity(text: string): Quantity | string {
  try {
    return Quantity.parse(text);
  } catch (error) {
    if (error instanceof InvalidValue) return error.why;
    throw error;
  }
}

function amountFault(bytes: bigint): string | undefined {
  if (bytes < 0n) return 'it is negative; write the size of the volume, such as 10Gi';
  if (bytes === 0n) return 'it is nothing; write the size of the volume, such as 10Gi';
  if (bytes >= TOO_LARGE) return 'LVM takes less than 8Ei';
  return undefined;
}

/** The least number of bytes in whole extents that holds so many. */
export const roundUpToExtents = (bytes: bigint, extentBytes: bigint): bigint => roundUpToMultiple(bytes, extentBytes);

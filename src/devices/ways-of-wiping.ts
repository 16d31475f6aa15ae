/** Every way of wiping a simulated disk, and what it has to come to. For tests. */
import { expect } from 'vitest';
import { WIPE_METHODS, type WipeMethod } from './contract.ts';
import { type Attempt, SimulatedWipe } from './simulated-wipe.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const HEAD = 100 * MIB;

/** No multiple of a page. */
export const SMALL = 768 * KIB + 512;

export interface Way extends Attempt {
  readonly name: string;
  readonly facts?: Partial<ConstructorParameters<typeof SimulatedWipe>[0]>;
}

/** Every way in which bytes come to the device, so slow that there are checkpoints in between. */
export const WAYS: readonly Way[] = [
  ...WIPE_METHODS.map((method) => ({ name: method, method, bandwidth: 64 * KIB })),
  {
    name: 'zero-all, which the kernel does',
    method: 'zero-all',
    bandwidth: 64 * KIB,
    facts: { writeZeroesMaxBytes: MIB },
  },
];

/** A disk full of something. */
export function aWipe(method: WipeMethod, sizeBytes: number, facts?: Way['facts']): SimulatedWipe {
  const wipe = new SimulatedWipe({ sizeBytes, ...(method === 'discard' && { discardMaxBytes: GIB }), ...facts });
  if (sizeBytes < HEAD) wipe.fill();
  return wipe;
}

export function expectClean(wipe: SimulatedWipe, method: WipeMethod): void {
  if (method === 'random-all') expect(wipe.isKeystream(wipe.record?.seed ?? 'none')).toBe(true);
  else expect(wipe.disk.isZero()).toBe(true);
  if (method === 'discard') expect(wipe.isDiscarded).toBe(true);
}

/** For tests: what stands in a ledger. */
import { aReceipt } from '../builders.ts';
import type { Clean, Sighting, WipeRecord } from './entry.ts';

export const device: Sighting = {
  identity: { sizeBytes: 1024, wwid: 'naa.1' },
  path: '/dev/a',
  boot: 'b1',
  diskSequence: '7',
};

export const aWipe = (doneBytes: number): WipeRecord => ({
  method: 'zero-all',
  startedAt: '2026-01-01T00:00:00.000Z',
  doneBytes,
});

export const clean: Clean = { receipt: aReceipt(1024, { method: 'zero-all' }), boot: 'b1' };

/** The ledger as a file: strict, since what is misread here could cost somebody's data. */
import { z } from 'zod';
import { WIPE_METHODS } from '../contract.ts';
import type { LedgerEntry } from './entry.ts';

export interface LedgerState {
  /** When it was begun. A volume of ours that is younger is known to it. */
  readonly since: string;
  readonly devices: ReadonlyMap<string, LedgerEntry>;
  /** Approvals that have been made use of. */
  readonly usedApprovals: readonly string[];
}

const VERSION = 1;

const bytes = z.int().nonnegative();
const receipt = z.strictObject({
  method: z.enum(WIPE_METHODS),
  bytes,
  seconds: z.number().nonnegative(),
  verified: z.enum(['sample', 'all']),
  at: z.iso.datetime(),
});
const identity = z.strictObject({
  sizeBytes: bytes,
  wwid: z.string().exactOptional(),
  serial: z.string().exactOptional(),
  model: z.string().exactOptional(),
  partition: z.strictObject({ index: bytes, startBytes: bytes }).exactOptional(),
});
const entry = z.strictObject({
  identity,
  path: z.string(),
  boot: z.string(),
  diskSequence: z.string().exactOptional(),
  volume: z
    .strictObject({
      name: z.string(),
      uid: z.string(),
      phase: z.string(),
      claim: z.string().exactOptional(),
      resourceVersion: z.string(),
      cluster: z.string(),
    })
    .exactOptional(),
  wipe: z
    .strictObject({
      method: z.enum(WIPE_METHODS),
      seed: z.string().exactOptional(),
      startedAt: z.iso.datetime(),
      doneBytes: bytes,
    })
    .exactOptional(),
  clean: z.strictObject({ receipt, boot: z.string(), diskSequence: z.string().exactOptional() }).exactOptional(),
});
const file = z.strictObject({
  version: z.literal(VERSION),
  since: z.iso.datetime(),
  devices: z.record(z.string(), entry),
  usedApprovals: z.array(z.string()),
});

export function formatLedger({ since, devices, usedApprovals }: LedgerState): string {
  return `${JSON.stringify({ version: VERSION, since, devices: Object.fromEntries(devices), usedApprovals }, null, 2)}\n`;
}

/** Throws, with what is wrong, for a text that is not a whole ledger of this version. */
export function parseLedger(text: string): LedgerState {
  const { since, devices, usedApprovals } = file.parse(JSON.parse(text));
  return { since, devices: new Map(Object.entries(devices)), usedApprovals };
}

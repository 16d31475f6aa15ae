/** The ledger as a file: strict, since what is misread here could cost somebody's data. */
import * as z from 'zod';
import { WIPE_METHODS } from '../contract.ts';
import type { LedgerEntry } from './entry.ts';

export interface LedgerState {
  /** When it was begun. */
  readonly since: string;
  /** The uids of the volumes of ours that were there by then. Any other that it does not know is none of ours. */
  readonly inherited: ReadonlySet<string>;
  readonly devices: ReadonlyMap<string, LedgerEntry>;
  /** Approvals that have been made use of, the oldest first. */
  readonly usedApprovals: ReadonlySet<string>;
}

/** It was written by a program that knows more than this one. To begin another one would be to forget what that one knew. */
export class LedgerIsNewer extends Error {
  override readonly name = 'LedgerIsNewer';
}

const VERSION = 1;

const bytes = z.int().nonnegative();
const receipt = z.strictObject({
  method: z.enum(WIPE_METHODS),
  bytes,
  writtenBytes: bytes,
  seconds: z.number().nonnegative(),
  verified: z.enum(['sample', 'all']),
  verifiedBytes: bytes,
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
  inherited: z.array(z.string()),
  devices: z.record(z.string(), entry),
  usedApprovals: z.array(z.string()),
});
const newerFile = z.looseObject({ version: z.int().gt(VERSION) });

/** One line for each device: short, and yet a person can read it. */
export function formatLedger({ since, inherited, devices, usedApprovals }: LedgerState): string {
  const lines = Array.from(devices, ([key, entry]) => `    ${JSON.stringify(key)}: ${JSON.stringify(entry)}`);
  return `{
  "version": ${VERSION},
  "since": ${JSON.stringify(since)},
  "inherited": ${JSON.stringify([...inherited])},
  "devices": {
${lines.join(',\n')}
  },
  "usedApprovals": ${JSON.stringify([...usedApprovals])}
}
`;
}

/** Throws, with what is wrong, for a text that is not a whole ledger of this version. */
export function parseLedger(text: string): LedgerState {
  const content: unknown = JSON.parse(text);
  const newer = newerFile.safeParse(content);
  if (newer.success)
    throw new LedgerIsNewer(`it is of version ${newer.data.version}, and this program knows ${VERSION}`);
  const { since, inherited, devices, usedApprovals } = file.parse(content);
  return {
    since,
    inherited: new Set(inherited),
    devices: new Map(Object.entries(devices)),
    usedApprovals: new Set(usedApprovals),
  };
}

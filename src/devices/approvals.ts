/** What a person has approved, as it stands on the Node: devices that may be wiped once although data on them is somebody's, or may be. */
import { z } from 'zod';
import { type Identity, identitySchema } from './identity.ts';

export interface Approval {
  /** Counts once: those that were made use of are in the ledger. */
  readonly id: string;
  readonly at: string;
  /** The device as it was when it was approved. */
  readonly identity: Identity;
}

/** By the name that the ledger has for the device. */
export type Approvals = Readonly<Record<string, Approval>>;

const schema = z.record(
  z.string(),
  z.strictObject({ id: z.string().min(1).max(100), at: z.iso.datetime(), identity: identitySchema }),
);

/** Nothing is approved by a text that is not as it should be. */
export function parseApprovals(text: string | undefined): Approvals | { readonly fault: string } {
  if (!text) return {};
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    return { fault: error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error) };
  }
}

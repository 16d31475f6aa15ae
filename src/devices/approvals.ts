/** What a person has approved, as it stands on the Node: devices that may be wiped once although data on them is somebody's, or may be. */
import * as z from 'zod';
import { type Identity, identitySchema } from './identity.ts';
import type { ReadReport } from './node-report.ts';

export interface Approval {
  /** Counts once: those that were made use of are in the ledger. */
  readonly id: string;
  readonly at: string;
  /** Why it was refused. Nothing else is lifted by it. */
  readonly fact: string;
  /** The device as it was when it was approved. */
  readonly identity: Identity;
}

/** By the name that the ledger has for the device. What is refused for several facts needs as many. */
export type Approvals = Readonly<Record<string, readonly Approval[]>>;

const schema = z.record(
  z.string().regex(/^(wwid|serial|path):/),
  z.array(
    z.strictObject({
      id: z.string().min(1).max(100),
      at: z.iso.datetime(),
      fact: z.string().min(1).max(100),
      identity: identitySchema,
    }),
  ),
);

/** Nothing is approved by a text that is not as it should be. */
export function parseApprovals(text: string | undefined): Approvals | { readonly fault: string } {
  if (!text) return {};
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

/** None by such a text, which is then told. */
export function approvalsIn(text: string | undefined, isWrong: (fault: string) => void): Approvals {
  const approvals = parseApprovals(text);
  if (!('fault' in approvals)) return approvals;
  isWrong(`${approvals.fault}`);
  return {};
}

function faultOf(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.') || 'all of it'}: ${message}`).join('; ');
  return error instanceof Error ? error.message : String(error);
}

export const formatApprovals = (approvals: Approvals): string => JSON.stringify(approvals);

/** An approval is made use of within a minute, if the agent runs. One that nobody made use of for so long would be a surprise. */
const STANDS_FOR_MS = 86_400_000;

/** Whether it still counts. Also one from the future is none that a person has just given: clocks differ by less than that. */
export const isInForce = ({ at }: Approval, now: Date): boolean =>
  Math.abs(now.getTime() - Date.parse(at)) <= STANDS_FOR_MS;

/** With one more, or another one for the same fact about the same device. Those that have become pointless are left out. */
export function withApproval(
  approvals: Approvals,
  device: string,
  approval: Approval,
  { devices, leftOut }: Pick<ReadReport, 'devices' | 'leftOut'>,
): Approvals {
  const now = new Date(approval.at);
  const present = new Set(devices.map((each) => each.device));
  const kept = Object.entries({ ...approvals, [device]: approvals[device] ?? [] }).map(([key, given]) => {
    const others = given.filter((one) => isInForce(one, now) && (present.has(key) || leftOut > 0));
    return [key, key === device ? [...others.filter(({ fact }) => fact !== approval.fact), approval] : others] as const;
  });
  return Object.fromEntries(kept.filter(([, given]) => given.length > 0));
}

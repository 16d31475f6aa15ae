/** Whether a device that was looked at may be wiped, and whether it need be: the guards, with what the ledger and people say of it. */
import type { Clock } from '../kit/clock/clock.ts';
import { type Approvals, isInForce } from './approvals.ts';
import type { Config } from './contract.ts';
import { GUARDS, type Guard, isAsWiped, liftedOf, type Purpose, type Recycled, whyNotToWipe } from './guards.ts';
import { identityOf, isNamed, isSame, keyOf } from './identity.ts';
import { entryOf } from './known-entry.ts';
import type { Clean, LedgerEntry, Sighting } from './ledger/entry.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Observed } from './observed.ts';
import type { Refusal } from './refusals.ts';
import { isCertain, isOtherInsertion, isSameInsertion, sightingOf } from './sighting.ts';

export interface JudgingParts {
  readonly clock: Clock;
  readonly ledger: Ledger;
  /** Of the running boot. */
  readonly boot: string;
  readonly cluster: string;
  /** As they stand on the Node now. */
  readonly approvals: () => Approvals;
}

/** What is to become of the device. */
export interface Intent {
  readonly path: string;
  readonly config: Config;
  /** The volume that is recycled; without one a new volume is to be made. */
  readonly recycles?: Recycled | undefined;
}

export interface Judged {
  /** What the ledger knows it under. */
  readonly key: string;
  readonly sighting: Sighting;
  readonly entry: LedgerEntry | undefined;
  /** The entry is about this very device, and it has neither grown nor moved on its disk since. */
  readonly isAsRecorded: boolean;
  readonly refusal?: Refusal | undefined;
  /** Refusals that a person has lifted. */
  readonly lifted: readonly Refusal[];
  /** It need not be wiped: it was, and nobody has had it since. */
  readonly clean?: Clean | undefined;
}

export function judge(
  observed: Observed,
  { path, config, recycles }: Intent,
  parts: JudgingParts,
  guards: readonly Guard[] = GUARDS,
): Judged {
  const identity = identityOf(observed.facts);
  const key = parts.ledger.keyOf(identity, path);
  const sighting = sightingOf(identity, path, observed, parts.boot);
  const entry = entryOf(key, sighting, recycles, parts.ledger);
  const isEntryCertain = entry !== undefined && isCertain(entry, sighting);
  const purpose: Purpose = {
    deviceDir: config.deviceDir,
    method: config.wipeMethod,
    cluster: parts.cluster,
    entry,
    isEntryCertain,
    isInsertedAnew: entry !== undefined && !isNamed(identity) && isOtherInsertion(entry, sighting),
    recycles,
    wipeExisting: config.wipeExisting,
    approved: approvedOf(sighting, parts),
  };
  const isAsRecorded = isEntryCertain && isSame(entry.identity, identity);
  const refusal = whyNotToWipe(observed, purpose, guards);
  const lifted = liftedOf(observed, purpose);
  const known = isAsRecorded && lifted.length === 0 ? cleanOf(entry, sighting, observed, config) : undefined;
  return { key, sighting, entry, isAsRecorded, refusal, lifted, clean: known };
}

/** What was wiped in another way than is asked for now is wiped again; so is what does not look as if it had been. */
function cleanOf({ clean: known }: LedgerEntry, now: Sighting, observed: Observed, config: Config): Clean | undefined {
  if (!known || !isSameInsertion(known, now) || known.receipt.method !== config.wipeMethod) return undefined;
  if (!isAsWiped(observed, known.receipt.method)) return undefined;
  return config.wipeVerify === 'all' && known.receipt.verified !== 'all' ? undefined : known;
}

/** Of those from before the ledger was begun nobody knows whether they were used. */
function approvedOf(device: Sighting, { approvals, ledger, clock }: JudgingParts): ReadonlySet<string> {
  const counting = givenFor(device, approvals()).filter(
    (approval) =>
      !ledger.hasUsed(approval.id) &&
      isSame(approval.identity, device.identity) &&
      isInForce(approval, clock.now()) &&
      Date.parse(approval.at) >= ledger.since.getTime(),
  );
  return new Set(counting.map(({ fact }) => fact));
}

/** A person sees the device as it is now, under whichever key the ledger knows it. */
export const givenFor = ({ identity, path }: Sighting, approvals: Approvals) => approvals[keyOf(identity, path)] ?? [];

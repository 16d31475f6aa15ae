/** Finds what the ledger knows of a device, under whichever name or path it has been seen. */

import type { Recycled } from './guards.ts';
import { isNamed, isSame, mayBeOne } from './identity.ts';
import { afterFinding } from './ledger/changes.ts';
import type { LedgerEntry, Sighting } from './ledger/entry.ts';
import type { Ledger } from './ledger/ledger.ts';
import { isSameUnnamed } from './sighting.ts';

/**
 * What is known of it; or else of one that was at its path and that it may be, if all that differs is what is told of its name. Then
 * that somebody had that one counts, and nothing that was done to it. That somebody has that one counts before all that is known of it
 * under the name that it tells now, which may be from before.
 */
export function entryOf(
  key: string,
  device: Sighting,
  recycles: Recycled | undefined,
  ledger: Ledger,
): LedgerEntry | undefined {
  const known = isNamed(device.identity) ? ledger.get(key) : unnamedEntryOf(key, device, recycles, ledger);
  const doubts = doubtsAbout(device, ledger);
  return (recycles ? undefined : doubts.find(isBound)) ?? known ?? mostTelling(doubts);
}

/**
 * Of a device without a name, another size is another device. It may have been found at another path since it was put in: then that
 * somebody had it there counts before all else.
 */
function unnamedEntryOf(
  key: string,
  device: Sighting,
  recycles: Recycled | undefined,
  ledger: Ledger,
): LedgerEntry | undefined {
  const entry = ledger.get(key);
  const own = entry && isSame(entry.identity, device.identity) ? entry : undefined;
  if (recycles) return own;
  const elsewhere = atOtherPaths(key, device, ledger).map(([, other]) => other);
  return elsewhere.find(isBound) ?? mostTelling(own ? [own, ...elsewhere] : elsewhere);
}

const doubtsAbout = (device: Sighting, ledger: Ledger): readonly LedgerEntry[] =>
  underOtherNames('', device, ledger).map(([, entry]) => entry);

const mostTelling = (entries: readonly LedgerEntry[]): LedgerEntry | undefined =>
  entries.find(isBound) ?? entries.find(tellsMore) ?? entries[0];

const isBound = ({ volume }: LedgerEntry): boolean => volume?.phase === 'Bound';

/** Than that the device was there. */
const tellsMore = ({ volume, wipe, clean: known }: LedgerEntry): boolean =>
  volume !== undefined || wipe !== undefined || known !== undefined;

const atOtherPaths = (key: string, device: Sighting, ledger: Ledger) =>
  isNamed(device.identity)
    ? []
    : [...ledger.entries()].filter(([other, entry]) => other !== key && isSameUnnamed(entry, device));

const underOtherNames = (key: string, { identity, path }: Sighting, ledger: Ledger) =>
  [...ledger.entries()].filter(
    ([other, entry]) => other !== key && entry.path === path && mayBeOne(entry.identity, identity),
  );

/** The device is about to become a volume under this key: what it was under others does not count any more. */
export async function forgetOtherPaths(key: string, device: Sighting, ledger: Ledger): Promise<void> {
  const others = [...atOtherPaths(key, device, ledger), ...underOtherNames(key, device, ledger)];
  await Promise.all(others.map(([other, entry]) => ledger.set(other, () => afterFinding(undefined, entry))));
}

/** Keeps the ledger in step with what the cluster shows: who has which device, so that nobody's data is taken for nobody's. */
import { handedOut } from './apply.ts';
import { sightingOf } from './cleaning.ts';
import { type Seen, whyNotOurs } from './decide.ts';
import { type Identity, identityOf, isNamed, isResized, isSame, keyOf } from './identity.ts';
import type { LedgerEntry, Sighting } from './ledger/entry.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Volume } from './volume.ts';

export interface MemoryParts {
  readonly ledger: Ledger;
  readonly boot: string;
  readonly cluster: string;
}

/** Resolves when it is on the disk. */
export async function remember({ volume, found, node }: Seen, parts: MemoryParts): Promise<void> {
  if (!volume || whyNotOurs(volume, node.name)) return;
  const sighting = sightingFor(volume, found, parts.boot);
  if (!sighting) return;
  const key = keyOf(sighting.identity, volume.path);
  if (!isToBeRecorded(volume, parts.ledger.get(key), parts.ledger.since)) return;
  await parts.ledger.saw(key, sighting, handedOut(volume), parts.cluster);
}

/** Another device at its path says nothing about the one that it was made of; that can still be known by its name. */
function sightingFor({ path, identity }: Volume, found: Seen['found'], boot: string): Sighting | undefined {
  const device = found.find((one) => one.path === path)?.device;
  const there = device && 'facts' in device ? device : undefined;
  if (there && isItself(identity, identityOf(there.facts)))
    return sightingOf(identityOf(there.facts), path, there, boot);
  return identity && isNamed(identity) ? { identity, path, boot: '' } : undefined;
}

const isItself = (recorded: Identity | undefined, found: Identity): boolean =>
  !recorded || isSame(recorded, found) || isResized(recorded, found);

/**
 * What the ledger knows goes on. What it does not know was there before it was begun; of that, a volume that nobody has any more is
 * left out, since nobody knows whether the device at its path is still the same: then what is on it is looked at.
 */
function isToBeRecorded(volume: Volume, entry: LedgerEntry | undefined, since: Date): boolean {
  const last = entry?.volume;
  if (last) return last.uid === volume.uid || (last.uid === '' && last.name === volume.name);
  return volume.createdAt <= since.getTime() && volume.phase !== 'Released';
}

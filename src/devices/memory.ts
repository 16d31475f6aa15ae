/** Keeps the ledger in step with what the cluster shows: who has which device, so that nobody's data is taken for nobody's. */
import { handedOut } from './apply.ts';
import { type Seen, whyNotOurs } from './decide.ts';
import { identityOf, isNamed, isOneDevice } from './identity.ts';
import type { LedgerEntry, Sighting } from './ledger/entry.ts';
import type { Ledger } from './ledger/ledger.ts';
import { sightingOf } from './sighting.ts';
import type { Volume } from './volume.ts';

export interface MemoryParts {
  readonly ledger: Ledger;
  readonly boot: string;
  readonly cluster: string;
}

/** Resolves when it is on the disk. */
export async function remember({ volume, found, node }: Seen, parts: MemoryParts): Promise<void> {
  if (!volume || whyNotOurs(volume, node.name)) return;
  const { ledger, cluster } = parts;
  const [key, device] = knownAs(volume, ledger) ?? newlySeen(volume, found, parts) ?? [];
  if (key !== undefined && device) await ledger.saw(key, device, handedOut(volume), cluster);
}

/** What the ledger knows by its uid goes on, whatever is at its path by now and whatever anybody has written on the volume. */
const knownAs = ({ name, uid }: Volume, ledger: Ledger) =>
  ledger.handedOutAs(name).find(([, entry]) => entry.volume?.uid === uid);

function newlySeen(
  volume: Volume,
  found: Seen['found'],
  { ledger, boot }: MemoryParts,
): readonly [string, Sighting] | undefined {
  const device = sightingFor(volume, found, boot);
  if (!device) return undefined;
  const key = ledger.keyOf(device.identity, volume.path);
  return isToBeRecorded(volume, ledger.get(key), ledger) ? [key, device] : undefined;
}

/** Another device at its path says nothing about the one that it was made of; that can still be known by its name. */
function sightingFor({ path, identity }: Volume, found: Seen['found'], boot: string): Sighting | undefined {
  const device = found.find((one) => one.path === path)?.device;
  const there = device && 'facts' in device ? device : undefined;
  if (there && (!identity || isOneDevice(identity, identityOf(there.facts))))
    return sightingOf(identityOf(there.facts), path, there, boot);
  return identity && isNamed(identity) ? { identity, path, boot: '' } : undefined;
}

/**
 * What was to be made has been made. What the ledger does not know was there before it was begun; of that, a volume that nobody has any
 * more is left out, since nobody knows whether the device at its path is still the same: then what is on it is looked at.
 */
function isToBeRecorded(volume: Volume, entry: LedgerEntry | undefined, ledger: Ledger): boolean {
  const last = entry?.volume;
  if (last?.uid === '') return last.name === volume.name;
  if (entry && isHeldAgain(volume, entry)) return true;
  return !last && ledger.inherits(volume.uid) && volume.phase !== 'Released';
}

/** After a restore of etcd an earlier volume of a device that we had back can be there again, and its owner with it. */
const isHeldAgain = ({ phase }: Volume, { volume: last, wipe, clean }: LedgerEntry): boolean =>
  phase === 'Bound' && (last ? last.phase !== 'Bound' : wipe !== undefined || clean !== undefined);

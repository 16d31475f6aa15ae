/** What was seen of a device, beside what is seen of it now: whether it is the same one, and was here all the time between. */
import { type Identity, isNamed, isOneDevice, isSame, keyOf } from './identity.ts';
import type { Sighting } from './ledger/entry.ts';
import type { Observed } from './observed.ts';

export const sightingOf = (
  identity: Identity,
  path: string,
  { facts }: Pick<Observed, 'facts'>,
  boot: string,
): Sighting => ({
  identity,
  path,
  boot,
  ...(facts.diskSequence !== undefined && { diskSequence: facts.diskSequence }),
});

type Insertion = Pick<Sighting, 'boot' | 'diskSequence'>;

export const insertionOf = ({ boot, diskSequence }: Sighting): Insertion => ({
  boot,
  ...(diskSequence !== undefined && { diskSequence }),
});

/**
 * It has the same name, or it has been in this machine, which has not been off, since then. A partition that begins elsewhere on its disk
 * is another one, whatever its number. Where only a part of the name is told now, it has to be as large and in the same place as well: a
 * serial number alone is what some makers give to all of their disks.
 */
export const isCertain = (entry: Sighting, now: Sighting): boolean =>
  isOneDevice(entry.identity, now.identity) &&
  (isNamed(now.identity) ? isSameName(entry, now) : isSameInsertion(entry, now));

const isSameName = (entry: Sighting, now: Sighting): boolean =>
  keyOf(entry.identity, '') === keyOf(now.identity, '') ||
  (isSame(entry.identity, now.identity) && entry.path === now.path);

export const isSameInsertion = (one: Insertion, other: Insertion): boolean =>
  one.boot !== '' &&
  one.boot === other.boot &&
  one.diskSequence !== undefined &&
  one.diskSequence === other.diskSequence;

export const isOtherInsertion = (one: Insertion, other: Insertion): boolean =>
  one.boot !== '' &&
  one.boot === other.boot &&
  one.diskSequence !== undefined &&
  other.diskSequence !== undefined &&
  one.diskSequence !== other.diskSequence;

/** The insertion is that of the disk: its partitions have it in common. */
export const isSameUnnamed = (entry: Sighting, now: Sighting): boolean =>
  isSameInsertion(entry, now) && isSame(entry.identity, now.identity);

/** How manifests hang together: from the one that the pointer names back to the oldest that is kept, each by the hash of the one before. */
import type { Manifest, ManifestReference } from './manifest.ts';
import { manifestPlace } from './names.ts';

/** A manifest as it was found. */
export interface Found {
  readonly key: string;
  readonly sha256: string;
  /** Missing when it cannot be read. */
  readonly manifest?: Manifest;
  /** Why it cannot. */
  readonly why?: string;
  /** Where signatures are looked at. */
  readonly isUnsigned?: boolean;
}

export type ChainFact =
  /** The pointer names something that is not there, or is not what it was. */
  | 'newestIsMissing'
  /** One is not there, or not what it was, although older ones are there. */
  | 'chainIsBroken'
  | 'manifestIsUnreadable'
  /** Its name says another epoch or sequence than it does itself. */
  | 'nameIsWrong'
  | 'epochHasTwoWriters';

export interface Break {
  readonly key: string;
  readonly fact: ChainFact;
  readonly message: string;
}

type Link = Found & { readonly manifest: Manifest };

export interface Chain {
  /** Newest first. */
  readonly links: readonly Link[];
  readonly breaks: readonly Break[];
  /** Never finished, or replaced. */
  readonly orphans: readonly Found[];
}

/** Each leads to one of a lower sequence, so that this ends. */
export function chainOf(newest: ManifestReference | null, all: readonly Found[]): Chain {
  const links: Link[] = [];
  const breaks: Break[] = [];
  if (newest) follow(newest, all, links, breaks);
  const linked = new Set(links.map(({ key }) => key));
  return { links, breaks, orphans: all.filter(({ key }) => !linked.has(key)) };
}

function follow(newest: ManifestReference, all: readonly Found[], links: Link[], breaks: Break[]): void {
  const byKey = new Map(all.map((found) => [found.key, found]));
  for (let next: ManifestReference | null = newest; next; ) {
    const found: Found | undefined = byKey.get(next.key);
    const fault = missing(next, found, links.at(-1), all) ?? (found && faultOf(found, links.at(-1)));
    if (fault) breaks.push(fault);
    if (fault || !found?.manifest) return;
    links.push({ ...found, manifest: found.manifest });
    next = found.manifest.previous;
  }
}

/** Old ones are removed from the oldest on: one that is gone although there are older ones was removed by somebody else. */
function missing(
  { key, sha256 }: ManifestReference,
  found: Found | undefined,
  after: Link | undefined,
  all: readonly Found[],
): Break | undefined {
  if (found?.sha256 === sha256) return undefined;
  if (!after) return breakAt(key, 'newestIsMissing', 'the pointer names it, and it is not there as it was');
  if (!found && !all.some((each) => each.key < key)) return undefined;
  return breakAt(key, 'chainIsBroken', `${after.key} follows on it, and it is not there as it was`);
}

function faultOf({ key, manifest, why }: Found, after: Link | undefined): Break | undefined {
  if (!manifest) return breakAt(key, 'manifestIsUnreadable', `the chain leads to it, and it cannot be read: ${why}`);
  const { epoch, sequence, clusterUid } = manifest;
  if (!isRightlyNamed({ key, manifest })) {
    return breakAt(key, 'nameIsWrong', `it says that it is sequence ${sequence} of epoch ${epoch}`);
  }
  if (!after) return undefined;
  const isTorn = epoch === after.manifest.epoch && clusterUid !== after.manifest.clusterUid;
  return isTorn
    ? breakAt(key, 'epochHasTwoWriters', `${after.key} is of another cluster in the same epoch`)
    : undefined;
}

function isRightlyNamed({ key, manifest }: Pick<Found, 'key' | 'manifest'>): boolean {
  const place = manifest && manifestPlace(manifest.cluster, key);
  return place !== undefined && place.epoch === manifest?.epoch && place.sequence === manifest.sequence;
}

const breakAt = (key: string, fact: ChainFact, message: string): Break => ({ key, fact, message });

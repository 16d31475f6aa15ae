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
}

export type ChainFact =
  /** The pointer names something that is not there, or is not what it was. */
  | 'newestIsMissing'
  /** The one before is not there, although older ones are. */
  | 'chainIsBroken'
  | 'manifestIsUnreadable'
  /** Its name says another epoch or sequence than it does itself. */
  | 'nameIsWrong'
  | 'orderIsWrong'
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

/** A hash cannot lead back to where it came from, so that this ends. */
export function chainOf(newest: ManifestReference | null, all: readonly Found[]): Chain {
  const links: Link[] = [];
  const breaks: Break[] = [];
  if (newest) follow(newest, all, links, breaks);
  const linked = new Set(links.map(({ key }) => key));
  return { links, breaks, orphans: all.filter(({ key }) => !linked.has(key)) };
}

function follow(newest: ManifestReference, all: readonly Found[], links: Link[], breaks: Break[]): void {
  /** A copy under a wrong name must not hide the one under the right name. */
  const ordered = [...all.filter((found) => !isRightlyNamed(found)), ...all.filter(isRightlyNamed)];
  const bySum = new Map(ordered.map((found) => [found.sha256, found]));
  let next = bySum.get(newest.sha256);
  if (next?.key !== newest.key) {
    breaks.push(breakAt(newest.key, 'newestIsMissing', 'the pointer names it, and it is not there as it was'));
  }
  while (next) {
    const fault: Break | undefined = faultOf(next, links.at(-1)) ?? missingBefore(next, bySum);
    if (fault) breaks.push(fault);
    if (!next.manifest) return;
    links.push({ ...next, manifest: next.manifest });
    next = bySum.get(next.manifest.previous ?? '');
  }
}

function faultOf({ key, manifest, why }: Found, after: Link | undefined): Break | undefined {
  if (!manifest) return breakAt(key, 'manifestIsUnreadable', `the chain leads to it, and it cannot be read: ${why}`);
  const { epoch, sequence, clusterUid } = manifest;
  if (!isRightlyNamed({ key, manifest })) {
    return breakAt(key, 'nameIsWrong', `it says that it is sequence ${sequence} of epoch ${epoch}`);
  }
  if (!after) return undefined;
  if (epoch > after.manifest.epoch || sequence >= after.manifest.sequence) {
    return breakAt(key, 'orderIsWrong', `it comes before ${after.key}, and is not older`);
  }
  const isTorn = epoch === after.manifest.epoch && clusterUid !== after.manifest.clusterUid;
  return isTorn
    ? breakAt(key, 'epochHasTwoWriters', `${after.key} is of another cluster in the same epoch`)
    : undefined;
}

function isRightlyNamed({ key, manifest }: Pick<Found, 'key' | 'manifest'>): boolean {
  const place = manifest && manifestPlace(manifest.cluster, key);
  return place !== undefined && place.epoch === manifest?.epoch && place.sequence === manifest.sequence;
}

/** Old ones are removed from the oldest on: what is left that is older was built on the same one, and never finished. */
function missingBefore({ key, manifest }: Found, bySum: ReadonlyMap<string, Found>): Break | undefined {
  const previous = manifest?.previous;
  if (!previous || bySum.has(previous)) return undefined;
  const hasOlder = [...bySum.values()].some((each) => each.key < key && each.manifest?.previous !== previous);
  return hasOlder ? breakAt(key, 'chainIsBroken', `the manifest before it, ${previous}, is not there`) : undefined;
}

const breakAt = (key: string, fact: ChainFact, message: string): Break => ({ key, fact, message });

/** Volumes whose data is made to be in the same place by the rules of mapping: each would have the data of the other. */
import type { Mappings } from '../contract.ts';
import type { LocalVolumes } from './local.ts';
import type { Outline } from './outline.ts';
import { type MovableSource, mappedKey, sourceKey } from './shared-source.ts';

/** By the place here, the places there that become it. Two volumes that have shared one already are as they were. */
type Origins = ReadonlyMap<string, ReadonlySet<string>>;

export interface Collision {
  readonly message: string;
  readonly other?: string;
}

export class Collisions {
  readonly #origins: Origins;
  readonly #outline: Outline;
  readonly #mappings: Mappings | undefined;
  readonly #local: LocalVolumes;

  constructor(outline: Outline, mappings: Mappings | undefined, local: LocalVolumes) {
    this.#outline = outline;
    this.#mappings = mappings;
    this.#local = local;
    this.#origins = origins(outline, mappings);
  }

  /** What the volume would collide with: in words, and by the name of the volume here, if it is one. */
  of(name: string): Collision | undefined {
    const source = this.#outline.volumes.get(name)?.source;
    if (!source) return undefined;
    const here = mappedKey(source, this.#mappings);
    if ((this.#origins.get(here)?.size ?? 0) > 1)
      return { message: `another volume of the export gets the same ${nameOf(source)}` };
    if (isShared(source, here)) return undefined;
    const other = this.#local.keysBy('source', here).find((key) => key !== name && !this.#isSameThere(key, here));
    return other === undefined ? undefined : { message: `volume ${other} has its ${nameOf(source)} here`, other };
  }

  /** Of one that is in the export, too, what it has there is compared instead. */
  #isSameThere(name: string, here: string): boolean {
    const source = this.#outline.volumes.get(name)?.source;
    return source !== undefined && mappedKey(source, this.#mappings) === here;
  }
}

/** Many volumes may share a server and a path of NFS, and people mean it, as long as no rule has brought them together. */
const isShared = (source: MovableSource, here: string): boolean =>
  source.nfs !== undefined && sourceKey(source) === here;

const nameOf = ({ csi }: MovableSource): string => (csi ? 'handle' : 'server and path');

function origins({ volumes }: Outline, mappings: Mappings | undefined): Origins {
  const found = new Map<string, Set<string>>();
  for (const { source } of volumes.values()) {
    if (!source) continue;
    const here = mappedKey(source, mappings);
    const known = found.get(here);
    if (known) known.add(sourceKey(source));
    else found.set(here, new Set([sourceKey(source)]));
  }
  return found;
}

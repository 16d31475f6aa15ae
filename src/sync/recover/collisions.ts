/** Volumes whose handles are made the same by the rules of mapping: each would have the data of the other. */
import type { Mappings } from '../contract.ts';
import { handleKey, type LocalVolumes } from './local.ts';
import { mappedHandle } from './mapping.ts';
import type { Outline } from './outline.ts';

/** By the handle here, the handles there that become it. Two volumes that have had one handle already are as they were. */
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
    const handle = this.#outline.volumes.get(name)?.handle;
    if (!handle) return undefined;
    const here = handleKey(mappedHandle(handle, this.#mappings));
    if ((this.#origins.get(here)?.size ?? 0) > 1)
      return { message: 'another volume of the export gets the same handle' };
    const other = this.#local.keysBy('handle', here).find((key) => key !== name && !this.#isSameThere(key, here));
    return other === undefined ? undefined : { message: `volume ${other} has its handle here`, other };
  }

  /** Of one that is in the export, too, what it has there is compared instead. */
  #isSameThere(name: string, here: string): boolean {
    const handle = this.#outline.volumes.get(name)?.handle;
    return handle !== undefined && handleKey(mappedHandle(handle, this.#mappings)) === here;
  }
}

function origins({ volumes }: Outline, mappings: Mappings | undefined): Origins {
  const found = new Map<string, Set<string>>();
  for (const { handle } of volumes.values()) {
    if (!handle) continue;
    const here = handleKey(mappedHandle(handle, mappings));
    const known = found.get(here);
    if (known) known.add(handleKey(handle));
    else found.set(here, new Set([handleKey(handle)]));
  }
  return found;
}

/** What the limit of parallel writes is measured with. */
import { makeConfigMaps } from '../world/config-maps.ts';
import type { World } from '../world/world.ts';
import type { Patches } from './patches.ts';

const OBJECTS = 500;

/** Makes the objects that are to be patched. */
export async function manyPatches(world: World, requests: number): Promise<Patches> {
  await makeConfigMaps(await world.plane(), OBJECTS);
  return { access: await world.access(), objects: OBJECTS, requests, connections: 32 };
}

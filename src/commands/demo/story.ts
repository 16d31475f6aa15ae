/** The story of the demo, chapter by chapter. What it claims it checks. */
import { disks } from './chapters/disks.ts';
import { failover } from './chapters/failover.ts';
import { logicalVolumes } from './chapters/logical-volumes.ts';
import { pools } from './chapters/pools.ts';
import { zones } from './chapters/zones.ts';
import type { Narrator } from './narrator.ts';
import type { DemoWorld } from './world.ts';

const CHAPTERS = [zones, disks, logicalVolumes, pools, failover];

export async function story(world: DemoWorld, narrator: Narrator): Promise<void> {
  for (const chapter of CHAPTERS) await chapter(world, narrator);
}

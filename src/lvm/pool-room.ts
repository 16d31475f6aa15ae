/** Whether a thin pool has room for more: what is in it, and what was promised of it. Pure. */
import type { ThinLimits } from './contract.ts';
import { promisedIn } from './creating.ts';
import type { LogicalVolume, VolumeGroup } from './facts.ts';
import { refusal } from './reasons.ts';
import { type Decision, fullName, type PoolRoom } from './steps.ts';
import { POOL_TAG } from './tags.ts';

/** LVM makes the logical volume first, and then a pool of it: one that was cut off in between was never used by anybody. */
export const isHalfMadePool = ({ kind, tags }: LogicalVolume): boolean => kind === 'plain' && tags.includes(POOL_TAG);

/** How much all volumes of the pool may come to. */
export const roomIn = (pool: LogicalVolume, { overcommit }: ThinLimits): PoolRoom => ({
  pool: pool.name,
  atMost: BigInt(Math.floor(Number(pool.sizeBytes) * overcommit)),
});

/** Why its volumes cannot have so much more. */
export function unlessRoomIn(
  pool: LogicalVolume,
  more: bigint,
  group: VolumeGroup,
  limits: ThinLimits,
): Decision | undefined {
  const lv = fullName(pool);
  const fullness = fullnessOf(pool, limits);
  if (fullness) return refusal('poolIsFull', { lv, ...fullness });
  const promised = promisedIn(pool.name, [...group.volumes.values()]) + more;
  const { atMost } = roomIn(pool, limits);
  return promised > atMost ? refusal('poolIsPromised', { lv, promised, most: atMost }) : undefined;
}

/** What of a pool is too full for anything more; a pool that does not tell might be. */
function fullnessOf(
  { dataPercent, metadataPercent }: LogicalVolume,
  { dataPercent: mostData, metadataPercent: mostMetadata }: ThinLimits,
): { readonly what: string; readonly percent: number | undefined } | undefined {
  if (dataPercent === undefined || dataPercent >= mostData) return { what: 'data', percent: dataPercent };
  if (metadataPercent === undefined || metadataPercent >= mostMetadata)
    return { what: 'metadata', percent: metadataPercent };
  return undefined;
}

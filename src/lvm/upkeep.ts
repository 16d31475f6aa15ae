/** What can be changed of a volume while it is in use: its marks, its size, and how it is mounted. Pure. */
import type { OptionKey, ThinLimits } from './contract.ts';
import type { Declared } from './decide.ts';
import type { LogicalVolume, VolumeGroup } from './facts.ts';
import { roomIn, unlessRoomIn } from './pool-room.ts';
import { refusal } from './reasons.ts';
import type { Sight } from './sight.ts';
import { roundUpToExtents } from './size.ts';
import { type Decision, isClassicSnapshot, type Matter, step, unlessImpossible } from './steps.ts';
import type { Owner } from './tags.ts';
import { keptBy } from './trash.ts';

export interface Kept {
  readonly declared: Declared;
  readonly sight: Sight;
  readonly group: VolumeGroup;
  readonly lv: LogicalVolume;
  readonly limits: ThinLimits;
  /** What was refused before, and is left alone until the next turn. */
  readonly putOff: ReadonlySet<Matter>;
}

export function upkeep(owner: Owner, kept: Kept): Decision | undefined {
  const { putOff, group, sight } = kept;
  for (const [matter, wanted] of WANTED) {
    const next = putOff.has(matter) ? undefined : wanted(owner, kept);
    const decision = next?.kind === 'step' ? unlessImpossible(next, group, sight) : next;
    if (decision) return decision.kind === 'refuse' ? { ...decision, matter } : decision;
  }
  return undefined;
}

const differs = (key: OptionKey, owner: Owner, { declared: { inForce } }: Kept): boolean =>
  inForce[key] !== undefined && inForce[key] !== owner.options[key];

const unlessMarked = (owner: Owner, kept: Kept): Decision | undefined =>
  MATTER_LATER.some((key) => differs(key, owner, kept)) ? step({ kind: 'retag' }) : undefined;

/** What it was made with, `fsOpts` among it, stays on it as it was. */
const MATTER_LATER: readonly OptionKey[] = [
  'vg',
  'cryptSecret',
  'autoRelease',
  'thinPoolSize',
  'shred',
  'removePolicy',
];

const unlessFilled = ({ fsBytes }: Owner, { declared, lv }: Kept): Decision | undefined =>
  declared.options.snapshotOf === undefined && fsBytes !== undefined && fsBytes < lv.sizeBytes
    ? step({ kind: 'grow-filesystem' })
    : undefined;

const unlessMountedSo = (owner: Owner, kept: Kept): Decision | undefined =>
  differs('mountOpts', owner, kept) ? step({ kind: 'remount' }) : undefined;

/** Who asks for more of a pool than it may promise is told so before he counts on it. */
export function unlessLargeEnough({ declared, sight, group, lv, limits }: Kept): Decision | undefined {
  const wanted = roundUpToExtents(declared.bytes, group.extentBytes);
  const more = wanted - lv.sizeBytes;
  if (declared.options.snapshotOf !== undefined || more <= 0n) return undefined;
  const snapshot = sight.snapshots.find(isClassicSnapshot);
  if (snapshot) return keptBy(snapshot, lv, CANNOT_GROW);
  const pool = lv.pool === undefined ? undefined : group.volumes.get(lv.pool);
  if (pool)
    return unlessRoomIn(pool, more, group, limits) ?? step({ kind: 'extend', bytes: wanted, in: roomIn(pool, limits) });
  if (group.freeBytes < more) return refusal('groupIsFull', { vg: group.name, wanted: more, free: group.freeBytes });
  return step({ kind: 'extend', bytes: wanted });
}

const CANNOT_GROW = 'LVM cannot extend a volume that has one beside it';

const WANTED: readonly (readonly [Matter, (owner: Owner, kept: Kept) => Decision | undefined])[] = [
  ['marks', unlessMarked],
  ['growth', (owner, kept) => unlessFilled(owner, kept) ?? unlessLargeEnough(kept)],
  ['mountOpts', unlessMountedSo],
];

/** What is to be done next for a volume: one step, or the reason why none. Pure: of what was seen, nothing is looked up here. */
import type { Condition } from './condition.ts';
import { DEFAULT_THIN_LIMITS, type ThinLimits } from './contract.ts';
import type { LogicalVolume, VolumeGroup } from './facts.ts';
import { devicePathsOf, isOurs, type MountUnit, mounts, unitOf } from './mount-units.ts';
import type { VolumeOptions } from './options.ts';
import { isHalfMadePool, roomIn, unlessRoomIn } from './pool-room.ts';
import { refusal } from './reasons.ts';
import { mountOptsOf } from './remount.ts';
import { type Mapping, type Sight, upperDevice } from './sight.ts';
import { roundUpToExtents } from './size.ts';
import { covered, type Decision, done, fullName, type Matter, step, unlessImpossible } from './steps.ts';
import { isMarked, type Owner, ownerOf } from './tags.ts';
import { isInTrash } from './trash.ts';
import { type Kept, unlessLargeEnough, upkeep } from './upkeep.ts';

/** A volume as it was declared, after it was checked. */
export interface Declared {
  readonly name: string;
  readonly uid: string;
  readonly path: string;
  readonly bytes: bigint;
  readonly options: VolumeOptions;
  /** The same as text, as it is written back to the volume and kept with the logical volume. */
  readonly inForce: Readonly<Record<string, string>>;
  /** The uuid of the logical volume that a person wants it to take over. */
  readonly adopts?: string | undefined;
  /** That it was made once, by us or by the original: then its data are somewhere. */
  readonly wasProcessed: boolean;
}

/** What only a look at the content of a device can tell. */
export interface Content {
  /** What is on the device of the filesystem, `undefined` for nothing. */
  readonly signature: string | undefined;
  /** Of what is of the kind that is asked for. */
  readonly condition?: Condition | undefined;
}

/** Makes it, mounts it, and keeps it so. */
export function decide(
  declared: Declared,
  sight: Sight,
  content?: Content,
  limits: ThinLimits = DEFAULT_THIN_LIMITS,
  putOff: ReadonlySet<Matter> = new Set(),
): Decision {
  const { group, lv } = sight;
  if (!group) return refusal(declared.wasProcessed ? 'groupIsAway' : 'groupIsMissing', { vg: declared.options.vg });
  const decision = lv
    ? withVolume({ declared, sight, group, lv, content, limits, putOff })
    : withoutVolume({ declared, sight, group, limits });
  return decision.kind === 'step' ? unlessImpossible(decision, group, sight) : decision;
}

/** Whether its encryption can be looked at and changed: it is ours, has data, and who touches it does not wait for ever. */
export function isOpen({ uid, options }: Declared, { group, lv, owner, mapping }: Sight): boolean {
  if (!options.crypt || !group || !lv || owner?.uid !== uid || owner.state !== 'ready') return false;
  if (owner.isShredding || owner.isShredded || suspendedOf({ group, lv })) return false;
  return mapping !== undefined && liesOn(mapping, lv);
}

const liesOn = ({ over }: Mapping, { device }: LogicalVolume): boolean => device !== undefined && over.includes(device);

interface WithoutVolume {
  readonly declared: Declared;
  readonly sight: Sight;
  readonly group: VolumeGroup;
  readonly limits: ThinLimits;
}

function withoutVolume({ declared, sight, group, limits }: WithoutVolume): Decision {
  const { options, bytes, path } = declared;
  const [stray] = sight.strays;
  if (stray) return refusal('logicalVolumeIsElsewhere', { lv: fullName(stray), vg: options.vg });
  if (declared.adopts !== undefined && !declared.wasProcessed) return takenBack(declared.adopts, group);
  if (declared.wasProcessed) return refusal('logicalVolumeIsGone', { vg: options.vg, lv: declared.name });
  if (sight.cover) return covered(sight.cover);
  const [mount] = sight.atPath;
  if (mount) return refusal('somethingElseIsMounted', { path, source: mount.source });
  if (options.snapshotOf !== undefined) return snapshot(options.snapshotOf, { declared, group, limits });
  if (options.thin) return thin(options.thin, { declared, group, limits });
  const wanted = roundUpToExtents(bytes, group.extentBytes);
  if (group.freeBytes < wanted) return refusal('groupIsFull', { vg: group.name, wanted, free: group.freeBytes });
  return step({ kind: 'create', bytes: wanted });
}

/** What is in the trash has another name. An empty volume in its place would hide that it was not found. */
function takenBack(uuid: string, group: VolumeGroup): Decision {
  const lv = group.volumes.values().find((each) => each.uuid === uuid);
  if (!lv) return refusal('adoptedIsMissing', { uuid, vg: group.name });
  const owner = ownerOf(lv);
  if (!owner || !isInTrash(lv)) return refusal('adoptedIsForeign', { lv: fullName(lv) });
  if (owner.isShredding || owner.isShredded) return refusal('logicalVolumeIsShredded', { lv: fullName(lv) });
  return step({ kind: 'take-back', lv });
}

function snapshot(of: string, { declared, group, limits }: Omit<WithoutVolume, 'sight'>): Decision {
  const origin = group.volumes.get(of);
  if (!origin) return refusal('originIsMissing', { lv: `${group.name}/${of}` });
  const unfit = unfitOrigin(origin, declared);
  if (unfit) return unfit;
  const pool = origin.pool === undefined ? undefined : group.volumes.get(origin.pool);
  if (pool) return inPool(pool, origin.sizeBytes, group, limits);
  const wanted = roundUpToExtents(declared.bytes, group.extentBytes);
  if (group.freeBytes < wanted) return refusal('groupIsFull', { vg: group.name, wanted, free: group.freeBytes });
  return step({ kind: 'create', bytes: wanted });
}

/** Only what volumes of ours hold is shown to whoever claims a snapshot, and it is mounted in the way that it was made. */
function unfitOrigin(origin: LogicalVolume, { options }: Declared): Decision | undefined {
  const lv = fullName(origin);
  const owner = ownerOf(origin);
  if (!owner || owner.trashedAt !== undefined) return refusal('originIsForeign', { lv });
  if (owner.state !== 'ready') return refusal('originIsNotReady', { lv });
  const { fsType = 'unknown', cryptSecret } = owner.options;
  const different = (what: string, was: string) => refusal('originIsDifferent', { lv, what, was });
  if (fsType !== options.fsType) return different('fsType', fsType);
  if ((cryptSecret !== undefined) !== (options.crypt !== undefined)) return different('cryptSecret', cryptSecret ?? '');
  return undefined;
}

function thin(
  { pool: name, poolBytes }: NonNullable<VolumeOptions['thin']>,
  { declared, group, limits }: Omit<WithoutVolume, 'sight'>,
): Decision {
  const pool = group.volumes.get(name);
  if (!pool || isHalfMadePool(pool)) return withoutPool(name, poolBytes, group);
  return inPool(pool, roundUpToExtents(declared.bytes, group.extentBytes), group, limits);
}

/** Something new of this size in a thin pool. */
function inPool(pool: LogicalVolume, bytes: bigint, group: VolumeGroup, limits: ThinLimits): Decision {
  const lv = fullName(pool);
  if (pool.kind !== 'thin-pool') return refusal('poolIsNone', { lv });
  if (pool.isSuspended) return step({ kind: 'resume', lv: pool });
  if (!pool.isActive) return step({ kind: 'activate', lv: pool });
  return unlessRoomIn(pool, bytes, group, limits) ?? step({ kind: 'create', bytes, in: roomIn(pool, limits) });
}

function withoutPool(name: string, poolBytes: bigint | undefined, group: VolumeGroup): Decision {
  if (poolBytes === undefined) return refusal('poolIsMissing', { lv: `${group.name}/${name}` });
  const wanted = roundUpToExtents(poolBytes, group.extentBytes);
  const free = group.freeBytes + (group.volumes.get(name)?.sizeBytes ?? 0n);
  if (free < wanted) return refusal('groupIsFull', { vg: group.name, wanted, free });
  return step({ kind: 'create-pool', bytes: wanted });
}

interface WithVolume extends Kept {
  readonly content: Content | undefined;
}

function withVolume(known: WithVolume): Decision {
  const { declared, sight, lv } = known;
  const { owner } = sight;
  if (!owner) return foreign(known);
  if (owner.uid !== declared.uid) return ofAnother(owner, known);
  const [stray] = sight.strays;
  if (stray) return refusal('logicalVolumeIsTwice', { lv: fullName(lv), other: fullName(stray) });
  return unlessUsable(owner, known) ?? contradiction(owner, known) ?? ofOurs(owner, known);
}

/** The original has left no mark on its volumes. What it has surely made is adopted, and everything else is somebody's. */
function foreign({ declared, sight, lv, content }: WithVolume): Decision {
  const { path, wasProcessed, options } = declared;
  const refused = (why: string) => refusal('logicalVolumeIsForeign', { lv: fullName(lv), why });
  if (isMarked(lv)) return refusal('marksContradict', { lv: fullName(lv) });
  if (!wasProcessed) return refused('it carries no mark of ours, and the volume does not say that it was processed');
  if (options.crypt || options.thin) return refused('the original made no encrypted and no thin volumes');
  if (!isMountedBySomebody(sight, lv, path)) return refused(`it is not mounted at ${path}, and has no unit to be`);
  if (!lv.isActive) return step({ kind: 'activate', lv });
  if (!content) return { kind: 'look-closer' };
  if (content.signature !== options.fsType)
    return refused(`it holds ${content.signature ?? 'nothing'}, and ${options.fsType} is asked for`);
  return step({ kind: 'adopt' });
}

/** Or was before the last boot, and has a unit that was to mount it again. */
function isMountedBySomebody({ atPath, unit }: Sight, lv: LogicalVolume, path: string): boolean {
  const mount = atPath.at(-1);
  if (mount) return lv.device !== undefined && mount.device === lv.device;
  return unit !== undefined && mounts(unit, devicePathsOf(lv), path);
}

function ofAnother(owner: Owner, known: WithVolume): Decision {
  const { declared, lv, sight } = known;
  const about = { lv: fullName(lv), pv: owner.pv, uid: owner.uid };
  if (declared.adopts !== lv.uuid) return refusal('logicalVolumeIsOfAnother', { ...about, uuid: lv.uuid });
  if (owner.isShredding || owner.isShredded) return refusal('logicalVolumeIsShredded', { lv: about.lv });
  const elsewhere = sight.ofDevice.find(({ mountPoint }) => mountPoint !== declared.path);
  if (elsewhere) return refusal('isInUseElsewhere', { lv: about.lv, path: elsewhere.mountPoint });
  return contradiction(owner, known) ?? step({ kind: 'adopt' });
}

/** What was asked for when it was made, and cannot be had afterwards in another way. */
function contradiction(owner: Owner, { declared, lv }: WithVolume): Decision | undefined {
  const { options } = declared;
  const cannot = (what: string, was: string, wanted: string) =>
    refusal('cannotBeChanged', { lv: fullName(lv), what, was, wanted });
  if (owner.options.fsType !== options.fsType)
    return cannot('fsType', owner.options.fsType ?? 'unknown', options.fsType);
  const isEncrypted = owner.options.cryptSecret !== undefined;
  if (isEncrypted !== (options.crypt !== undefined))
    return cannot('cryptSecret', isEncrypted ? 'encrypted' : 'not encrypted', isEncrypted ? 'none' : 'encryption');
  const origin = originOf(lv, owner);
  if (origin !== options.snapshotOf) return cannot('snapshotOf', origin ?? 'none', options.snapshotOf ?? 'none');
  if (origin === undefined && lv.pool !== options.thin?.pool)
    return cannot('thinPool', lv.pool ?? 'none', options.thin?.pool ?? 'none');
  return undefined;
}

/**
 * As it is marked: what it is a snapshot of may have another name by now, as in the trash, and one in a thin pool outlives it. One beside
 * its origin that has none any more is no snapshot.
 */
const originOf = ({ origin, pool }: LogicalVolume, { options }: Owner): string | undefined =>
  origin === undefined && pool === undefined ? undefined : options.snapshotOf;

/** Of what was cut off nothing may be as it was asked for: so it is looked at first. */
function unlessUsable(owner: Owner, known: WithVolume): Decision | undefined {
  const { declared, lv } = known;
  if (owner.isShredding || owner.isShredded) return refusal('logicalVolumeIsShredded', { lv: fullName(lv) });
  const suspended = suspendedOf(known);
  if (suspended) return step({ kind: 'resume', lv: suspended });
  // What was on the disk before may be on it, and would be taken for ours.
  if (owner.state === 'wiping') return unlessItHadData(declared, lv) ?? step({ kind: 'remove', lv });
  return lv.isLost ? refusal('snapshotIsLost', { lv: fullName(lv) }) : undefined;
}

function ofOurs(owner: Owner, known: WithVolume): Decision {
  const { declared, sight, lv } = known;
  const { options } = declared;
  if (owner.trashedAt !== undefined) return step({ kind: 'take-out' });
  if (!lv.isActive) return step({ kind: 'activate', lv });
  const isNew = owner.state === 'new';
  const tooSmall = isNew ? unlessLargeEnough(known) : undefined;
  if (tooSmall) return tooSmall;
  if (options.crypt) {
    const closed = unlessOpen(owner, known);
    if (closed) return closed;
  }
  if (isNew) return ofNew(known);
  const device = upperDevice(sight, options.crypt !== undefined);
  return unlessMounted(known, device) ?? upkeep(owner, known) ?? done;
}

/** Who reads or writes a thin volume waits for its pool, too. */
function suspendedOf({ group, lv }: Pick<WithVolume, 'group' | 'lv'>): LogicalVolume | undefined {
  const pool = lv.pool === undefined ? undefined : group.volumes.get(lv.pool);
  return [lv, pool].find((each) => each?.isSuspended);
}

/** What has to be done before the encrypted volume can be read; nothing when it is open. */
function unlessOpen(owner: Owner, { declared, sight, lv, content }: WithVolume): Decision | undefined {
  const { mapping } = sight;
  if (mapping) {
    if (liesOn(mapping, lv)) return undefined;
    return refusal('mappingIsAnother', { lv: fullName(lv), mapping: mapping.name });
  }
  if (owner.state !== 'new') return step({ kind: 'open' });
  if (!content) return { kind: 'look-closer' };
  if (content.signature === 'crypto_LUKS' && content.condition === 'whole') return step({ kind: 'open' });
  if (content.signature !== undefined && content.signature !== 'crypto_LUKS')
    return foreignSignature(content.signature, lv, declared);
  return unlessItHadData(declared, lv) ?? step({ kind: 'encrypt', over: content.signature });
}

/** Nothing was ever mounted from it: mkfs may run, if what is there is nothing, or the beginning of what it is to become. */
function ofNew({ declared, lv, content }: WithVolume): Decision {
  if (!content) return { kind: 'look-closer' };
  const { signature, condition } = content;
  if (signature !== undefined && signature !== declared.options.fsType)
    return foreignSignature(signature, lv, declared);
  if (condition === 'whole') return step({ kind: 'mark-ready' });
  if (condition === 'damaged')
    return refusal('filesystemIsDamaged', { lv: fullName(lv), fsType: declared.options.fsType });
  return unlessItHadData(declared, lv) ?? step({ kind: 'format', over: signature });
}

/** The object remembers what the marks have forgotten: LVM's metadata may have been restored from before it was ready. */
const unlessItHadData = ({ wasProcessed, adopts }: Declared, lv: LogicalVolume): Decision | undefined =>
  wasProcessed || adopts === lv.uuid ? refusal('hadData', { lv: fullName(lv) }) : undefined;

const foreignSignature = (signature: string, lv: LogicalVolume, { options }: Declared): Decision =>
  refusal('signatureIsForeign', { lv: fullName(lv), signature, fsType: options.fsType });

function unlessMounted(known: WithVolume, device: string | undefined): Decision | undefined {
  const { declared, sight } = known;
  const { path } = declared;
  if (sight.cover) return covered(sight.cover);
  const top = sight.atPath.at(-1);
  if (top && top.device !== device) return refusal('somethingElseIsMounted', { path, source: top.source });
  const unit = wantedUnit(known);
  if (unit && isOfAnother(known)) return refusal('unitIsForeign', { unit: unit.name, path });
  if (!top) return step({ kind: 'mount', unit });
  const isInForce = !unit || (sight.unit?.text === unit.text && sight.unit.isEnabled);
  return unit && !isInForce ? step({ kind: 'write-unit', unit }) : undefined;
}

/** Not for an encrypted volume: only the agent has its key, and a boot would wait for a device that never comes. */
function wantedUnit({ declared, sight, lv }: WithVolume): MountUnit | undefined {
  const { name, path, options } = declared;
  if (!sight.makesUnits || options.crypt) return undefined;
  const { fsType } = options;
  return unitOf({ volume: name, source: `/dev/${fullName(lv)}`, path, fsType, options: mountOptsOf(options) });
}

const isOfAnother = ({ declared, sight: { unit }, lv }: WithVolume): boolean =>
  unit !== undefined && !isOurs(unit) && !mounts(unit, devicePathsOf(lv), declared.path);

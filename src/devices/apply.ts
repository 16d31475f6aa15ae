/**
 * Carries a decision about one device out. Safe to be cut off at any point: the finalizer, the ledger and the device itself say how far
 * it was.
 */
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { Retry } from '../kit/controller/outcome.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { mayHaveHappened } from '../kit/kube/retry.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { type Cleaned, type CleaningOrder, type CleaningParts, clean, lookFirst } from './cleaning.ts';
import { type Config, FIELD_MANAGER, WIPE_FINALIZER } from './contract.ts';
import { newVolume, type Wanted } from './desired.ts';
import type { Recycled } from './guards.ts';
import { isNamed, isWorldWide, keyOf } from './identity.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type LiveVolumes, mayBeOn } from './live.ts';
import type { Reason } from './reasons.ts';
import { type Volume, volumeOf } from './volume.ts';

export interface ApplyParts extends CleaningParts {
  readonly client: KubeClient;
  readonly live: LiveVolumes;
}

/** What is told while it goes on. */
export type Told = Pick<CleaningOrder, 'onBegin' | 'onProgress' | 'onApprovalUsed'>;

/** Another volume was made of this device, and looks for it elsewhere. */
export class HasAVolume extends Error {
  override readonly name = 'HasAVolume';
  readonly reason: Reason;

  constructor({ name, path }: Volume) {
    super(`it is the device of the volume ${name}`);
    this.reason = { fact: 'deviceHasAVolume', volume: name, path };
  }
}

/** What is asked for by now, if that is still this volume. */
export type AskedNow = (wanted: Wanted) => Wanted | undefined;

/**
 * Wipes the device, unless it is clean, and makes its volume. A wipe can take hours: where the volume is not asked for any more after
 * it, none is made, and the device stays known to be clean.
 */
export async function make(
  wanted: Wanted,
  askedNow: AskedNow,
  told: Told,
  parts: ApplyParts,
  signal: AbortSignal,
): Promise<PersistentVolume | undefined> {
  const { name, path, config } = wanted;
  if (await parts.live.find(name, signal)) throw new Retry(`there is a volume ${name} already`);
  await lookFirst({ path, config }, parts);
  const all = await parts.live.all(signal);
  const volumes = all.filter((volume) => mayBeOn(volume, parts.settings.node));
  if (volumes.some((volume) => volume.name === name)) throw new Retry(`there is a volume ${name} by now`);
  const owner = volumes.find(
    ({ identity }) => identity && isNamed(identity) && keyOf(identity, '') === keyOf(wanted.identity, ''),
  );
  if (owner && isNamed(wanted.identity)) throw new HasAVolume(owner);
  const beforeWiping = async () => {
    if (await parts.live.find(name, signal)) throw new Retry(`there is a volume ${name} by now`);
  };
  const othersNow = () => othersThan(name, parts, signal);
  const order = { path, config, others: othersAmong(all, name, parts), othersNow, beforeWiping, ...told };
  const handed = await clean(order, parts, signal, async (cleaned) => {
    const now = askedNow(wanted);
    return now && (await handOut({ ...now, identity: cleaned.device.identity }, cleaned, parts, signal));
  });
  if (!handed) return undefined;
  const { made, key, device } = handed;
  await parts.ledger.saw(key, device, handedOut(volumeOf(made)), parts.cluster);
  return made;
}

/**
 * From here on the volume may be there, and somebody may have the device. Only where the server has certainly not made it is the
 * device still known to be clean. There is nothing more to be done while it is held: a kubelet may be about to format it already.
 */
async function handOut(wanted: Wanted, cleaned: Cleaned, parts: ApplyParts, signal: AbortSignal) {
  const { ledger, cluster } = parts;
  const { key, device } = cleaned;
  const before = ledger.get(key);
  await ledger.handOut(key, device, wanted.name, cluster);
  try {
    return { made: await create(wanted, cleaned, parts, signal), key, device };
  } catch (error) {
    if (before && wasNotMade(error)) await ledger.set(key, () => before);
    throw error;
  }
}

/** A wipe can take hours: whoever gets the volume gets what its path leads to now. */
async function create(wanted: Wanted, { number, receipt }: Cleaned, { host, client }: ApplyParts, signal: AbortSignal) {
  const now = (await host.files.stat(wanted.path))?.device;
  if (now !== number) throw new LeadsElsewhere(`${wanted.path} leads to another device than the one that was wiped`);
  const options = { fieldManager: FIELD_MANAGER, signal };
  return await client.create(PERSISTENT_VOLUMES, newVolume(wanted, receipt), options);
}

class LeadsElsewhere extends Retry {}

/** An error that is none of the server's or the connection's proves nothing: we may have been stopped while it was under way. */
function wasNotMade(error: unknown): boolean {
  if (error instanceof LeadsElsewhere) return true;
  if (error instanceof ConnectionError) return !error.mayHaveHappened;
  return error instanceof ApiError && !mayHaveHappened(error) && error.reason !== 'AlreadyExists';
}

export const handedOut = ({ name, uid, phase, claimUid, resourceVersion }: Volume) => ({
  name,
  uid,
  phase,
  ...(claimUid !== undefined && { claim: claimUid }),
  resourceVersion,
});

/** Wipes the device of a volume that its owner has left. The volume stays until `letGo`. */
export async function recycle(
  cached: Volume,
  config: Config,
  told: Told,
  parts: ApplyParts,
  signal: AbortSignal,
): Promise<Cleaned> {
  const { name, path } = cached;
  const released = (volume: Volume | undefined): Volume => {
    const isOurs = volume && mayBeOn(volume, parts.settings.node) && isStillReleased(volume, cached);
    if (!isOurs) throw new Retry(`the volume ${name} is not as the cache shows it`);
    return volume;
  };
  const found = await parts.live.find(name, signal);
  await lookFirst({ path, config, recycles: recycledOf(released(found && volumeOf(found)), parts.ledger) }, parts);
  const all = await parts.live.all(signal);
  const live = released(all.find((volume) => volume.name === name));
  const beforeWiping = () => takeBack(live, parts, signal);
  const others = othersAmong(all, name, parts);
  const othersNow = () => othersThan(name, parts, signal);
  const recycles = recycledOf(live, parts.ledger);
  const order = { path, config, others, othersNow, recycles, beforeWiping, ...told };
  return await clean(order, parts, signal, async (cleaned) => cleaned);
}

/** One that is being deleted without our finalizer is out of our hands. */
const isStillReleased = (live: Volume, cached: Volume): boolean =>
  live.uid === cached.uid &&
  live.phase === 'Released' &&
  live.path === cached.path &&
  live.claimUid === cached.claimUid &&
  (!live.isDeleting || live.hasWipeFinalizer);

export function recycledOf(volume: Volume, ledger: Ledger): Recycled {
  const { name, uid, resourceVersion, volumeMode, fsType, capacityBytes, identity, claimUid } = volume;
  return {
    name,
    uid,
    resourceVersion,
    volumeMode: volumeMode === 'Block' ? 'Block' : 'Filesystem',
    fsType,
    capacityBytes,
    identity,
    claim: claimUid,
    isYoungerThanTheLedger: !ledger.inherits(uid),
  };
}

/**
 * From the first of these on the volume can only go when we let it, and from the second on nobody can bind it any more. Each names the
 * version before it, so nothing can have happened to the volume in between.
 */
async function takeBack(live: Volume, { client, live: volumes }: ApplyParts, signal: AbortSignal): Promise<void> {
  const { name, uid } = live;
  if (live.isDeleting) return;
  let { resourceVersion } = live;
  if (!live.hasWipeFinalizer) {
    const metadata = { finalizers: [...live.finalizers, WIPE_FINALIZER] };
    const preconditions = { uid, resourceVersion };
    const options = { preconditions, fieldManager: FIELD_MANAGER, signal };
    const held = await client.mergePatch(PERSISTENT_VOLUMES, { name }, { metadata }, options);
    resourceVersion = held.metadata.resourceVersion ?? '';
  }
  await client.delete(PERSISTENT_VOLUMES, { name }, { preconditions: { uid, resourceVersion }, signal });
  const now = await volumes.find(name, signal);
  if (!now || !isTakenBack(volumeOf(now), live)) throw new Retry(`the volume ${name} changed while it was taken back`);
}

const isTakenBack = (now: Volume, before: Volume): boolean => isStillReleased(now, before) && now.isDeleting;

/** The volume may go: its device is clean, or is not ours to clean. */
export async function letGo(
  { name, uid }: Pick<Volume, 'name' | 'uid'>,
  { client, live }: ApplyParts,
  signal: AbortSignal,
): Promise<void> {
  const object = await live.find(name, signal);
  const now = object && volumeOf(object);
  if (now?.uid !== uid || !now.hasWipeFinalizer) return;
  const metadata = { finalizers: now.finalizers.filter((finalizer) => finalizer !== WIPE_FINALIZER) };
  const preconditions = { uid, resourceVersion: now.resourceVersion };
  await client.mergePatch(
    PERSISTENT_VOLUMES,
    { name },
    { metadata },
    { preconditions, fieldManager: FIELD_MANAGER, signal },
  );
}

/** Changes what the patch names, in the very version that was looked at. */
export const patch = (
  { name, uid, resourceVersion }: Pick<Volume, 'name' | 'uid' | 'resourceVersion'>,
  body: { readonly metadata?: object; readonly spec?: object },
  { client }: Pick<ApplyParts, 'client'>,
  signal: AbortSignal,
): Promise<PersistentVolume> =>
  client.mergePatch(
    PERSISTENT_VOLUMES,
    { name },
    { ...body },
    { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal },
  );

/** All other volumes that may be of the same device, whatever made them. */
export const othersThan = async (
  name: string | undefined,
  parts: ApplyParts,
  signal: AbortSignal,
): Promise<CleaningOrder['others']> => othersAmong(await parts.live.all(signal), name, parts);

/**
 * Those of this node, and those of other nodes whose device has a name that no other device in the world has. What several nodes can
 * reach is one device.
 */
function othersAmong(volumes: readonly Volume[], name: string | undefined, parts: ApplyParts): CleaningOrder['others'] {
  const others = volumes.filter((volume) => volume.name !== name);
  const elsewhere = others.filter((volume) => !mayBeOn(volume, parts.settings.node));
  return [
    ...others
      .filter((volume) => mayBeOn(volume, parts.settings.node))
      .map((volume) => ({ ...volume, path: volume.path || (volume.hostPath ?? '') }))
      .filter(({ path, identity }) => path !== '' || identity),
    ...elsewhere
      .filter(({ identity }) => identity && isWorldWide(identity))
      .map((volume) => ({ ...volume, isElsewhere: true })),
  ];
}

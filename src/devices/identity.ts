/** Which device a device is: not where it is found, which can change at the next boot, but what it says of itself. */
import * as z from 'zod';
import type { DeviceFacts } from '../kit/host/block-device.ts';

/** What is recorded of a device, on its volume and in the ledger. */
export interface Identity {
  readonly sizeBytes: number;
  /** Of the disk. */
  readonly wwid?: string;
  readonly serial?: string;
  readonly model?: string;
  /** Where on the disk it is, if it is a partition. */
  readonly partition?: { readonly index: number; readonly startBytes: number };
}

export function identityOf({ sizeBytes, wwid, serial, model, partition }: DeviceFacts): Identity {
  return {
    sizeBytes,
    ...(wwid && { wwid }),
    ...(serial && { serial }),
    ...(model && { model }),
    ...(partition && { partition: { index: partition.index, startBytes: partition.startBytes } }),
  };
}

/** Whether the device can be told from another one of its size. */
export const isNamed = ({ wwid, serial }: Identity): boolean => wwid !== undefined || serial !== undefined;

/** Whether its name is one that is given out once in the world. Serial numbers, and names made of them, are not. */
export const isWorldWide = ({ wwid }: Identity): boolean => wwid !== undefined && /^(naa|eui|uuid)\./.test(wwid);

/** Whether both can be the same device. A disk that has neither a name nor a serial number is known by its size only. */
export const isSame = (one: Identity, other: Identity): boolean =>
  one.sizeBytes === other.sizeBytes && isSameDisk(one, other);

/** Whether it is the same device, and larger or smaller than it was. Of one that has no name, nobody can tell. */
export const isResized = (one: Identity, other: Identity): boolean =>
  one.sizeBytes !== other.sizeBytes && isNamed(one) && isSameDisk(one, other);

/** Whether both are the same device, whatever its size is by now. */
export const isOneDevice = (one: Identity, other: Identity): boolean => isSame(one, other) || isResized(one, other);

/**
 * Whether nobody can tell them apart, although they have no name in common: another kernel, or another driver, tells a name of a disk
 * that the one before did not, or does not tell it any more.
 */
export const mayBeOne = (one: Identity, other: Identity): boolean =>
  one.sizeBytes === other.sizeBytes && agreeInAll(one, other) && !hasCommonName(one, other);

/** Whether both are the same device, and it is not smaller than it was. */
export const isSameOrGrown = (recorded: Identity, found: Identity): boolean =>
  isSame(recorded, found) || (isResized(recorded, found) && found.sizeBytes > recorded.sizeBytes);

/** Whether one is the other, a part of it, or overlaps it. Of disks that have no name, nobody can tell. */
export function sharesBytes(one: Identity, other: Identity): boolean {
  const [start, otherStart] = [one.partition?.startBytes ?? 0, other.partition?.startBytes ?? 0];
  return (
    isNamed(one) &&
    isSameDisk(diskOf(one), diskOf(other)) &&
    start < otherStart + other.sizeBytes &&
    otherStart < start + one.sizeBytes
  );
}

const diskOf = ({ partition: _, ...disk }: Identity): Identity => disk;

const isSameDisk = (one: Identity, other: Identity): boolean => agreeInAll(one, other) && hasCommonName(one, other);

/** What only one of them tells says nothing: another kernel may tell more. */
function agreeInAll(one: Identity, other: Identity): boolean {
  return (
    agree(one.wwid, other.wwid) &&
    agree(one.serial, other.serial) &&
    agree(one.model, other.model) &&
    one.partition?.index === other.partition?.index &&
    one.partition?.startBytes === other.partition?.startBytes
  );
}

const agree = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other;

/** A named disk where an unnamed one was recorded is taken for another: it may be any. */
const hasCommonName = (one: Identity, other: Identity): boolean =>
  isNamed(one) === isNamed(other) &&
  (!isNamed(one) ||
    (one.wwid !== undefined && one.wwid === other.wwid) ||
    (one.serial !== undefined && one.serial === other.serial));

export const identitySchema = z.strictObject({
  sizeBytes: z.int().nonnegative(),
  wwid: z.string().exactOptional(),
  serial: z.string().exactOptional(),
  model: z.string().exactOptional(),
  partition: z.strictObject({ index: z.int(), startBytes: z.int().nonnegative() }).exactOptional(),
});

/** As it stands on a volume, which anybody may have edited: nothing unless it is as we write it. */
export function parseIdentity(text: string | undefined): Identity | undefined {
  if (text === undefined) return undefined;
  try {
    return identitySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What the ledger keeps a device under: its own name, or the path of one that has none. Does not change when it is resized. */
export function keyOf(identity: Identity, path: string): string {
  const { wwid, serial, model = '', partition } = identity;
  const part = partition ? `#${partition.index}` : '';
  if (wwid !== undefined) return `wwid:${wwid}${part}`;
  if (serial !== undefined) return `serial:${model}/${serial}${part}`;
  return `path:${path}`;
}

/** For people. */
export function describe(identity: Identity): string {
  const { wwid, serial } = identity;
  const part = identity.partition ? ` partition ${identity.partition.index}` : '';
  if (wwid !== undefined) return `${wwid}${part}`;
  if (serial !== undefined) return `serial ${serial}${part}`;
  return 'known by its size only';
}

/** Our marks on logical volumes: whose they are and what was asked of them, so that all of it outlives the cluster. */
import { OPTION_KEYS, type OptionKey } from './contract.ts';

/** The volume that a logical volume was made for, and what has become of it. */
export interface Owner {
  readonly uid: string;
  readonly pv: string;
  /** The uid of the cluster's namespace kube-system. */
  readonly cluster: string;
  /**
   * `wiping` until what was on its disk before is wiped, or it is known to be a snapshot, `new` until it is formatted: nothing was ever
   * mounted from it in either.
   */
  readonly state: 'wiping' | 'new' | 'ready';
  /** Of one that is being wiped: which attempt to make it that was. Only who has made it knows when the wipe is over. */
  readonly attempt?: string | undefined;
  /** As they were in force. */
  readonly options: Readonly<Partial<Record<OptionKey, string>>>;
  /** How large the logical volume was when its filesystem was last made to fill it. */
  readonly fsBytes?: bigint | undefined;
  /** That it has been begun to overwrite it: what is on it is of no use to anybody. */
  readonly isShredding?: boolean | undefined;
  /** That nothing is left of what was written to it. */
  readonly isShredded?: boolean | undefined;
  /** Since when it waits to be removed, in seconds since 1970. */
  readonly trashedAt?: number | undefined;
}

const PREFIX = 'holdfast.dev/';

/** What LVM takes in a tag. The rest of it, and what it is spelled with itself, is written as `#` and two hex digits for each byte. */
const CANNOT_STAND = /[^A-Za-z0-9_+./=!:&-]/gu;

/** The longest that lvm(8) speaks of. Some versions keep longer ones. */
export const LONGEST_TAG = 1024;

export class TagTooLong extends Error {
  override readonly name = 'TagTooLong';
}

export function encodeTag(key: string, value: string): string {
  const tag = `${PREFIX}${key}=${value.toWellFormed().replace(CANNOT_STAND, asBytes)}`;
  if (tag.length <= LONGEST_TAG) return tag;
  throw new TagTooLong(
    `${key} cannot be remembered: written as a tag of LVM it has ${tag.length} characters, and ${LONGEST_TAG} is the most`,
  );
}

const asBytes = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `#${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/** Nothing for a tag that we could not have written. */
export function decodeTag(tag: string): { readonly key: string; readonly value: string } | undefined {
  const [, key, written = ''] = /^holdfast\.dev\/(\w+)=(.*)$/s.exec(tag) ?? [];
  if (key === undefined) return undefined;
  const value = written.replace(/(#[0-9A-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll('#', ''), 'hex').toString(),
  );
  return tag === `${PREFIX}${key}=${value.replace(CANNOT_STAND, asBytes)}` ? { key, value } : undefined;
}

const SHREDDING = 'begun';
const SHREDDED = 'true';

function shreddedMark({ isShredding, isShredded }: Owner): string | undefined {
  if (isShredded) return SHREDDED;
  return isShredding ? SHREDDING : undefined;
}

/** Sorted, so that the same owner has the same tags. */
export function tagsOf(owner: Owner): readonly string[] {
  const { uid, pv, cluster, state, attempt, options, fsBytes, trashedAt } = owner;
  const marks = {
    ...options,
    uid,
    pv,
    cluster,
    state,
    attempt,
    fsBytes: fsBytes?.toString(),
    shredded: shreddedMark(owner),
    trashed: trashedAt?.toString(),
  };
  return Object.entries(marks)
    .flatMap(([key, value]) => (value === undefined ? [] : [encodeTag(key, value)]))
    .sort();
}

/**
 * Nothing when it is not ours: when it has no mark, or marks that we never leave so. Who has the mark of an owner twice has none, since
 * nobody can tell which one is meant.
 */
export function ownerOf({ tags }: { readonly tags: readonly string[] }): Owner | undefined {
  const marks = marksIn(tags);
  if (!marks) return undefined;
  const [uid, pv, cluster, state, attempt] = ['uid', 'pv', 'cluster', 'state', 'attempt'].map((key) => marks.get(key));
  if (!uid || !pv || !cluster || !isState(state)) return undefined;
  const [fsBytes, trashedAt] = [digits(marks.get('fsBytes')), digits(marks.get('trashed'))];
  return {
    uid,
    pv,
    cluster,
    state,
    ...(attempt !== undefined && { attempt }),
    options: optionsIn(marks),
    ...(fsBytes !== undefined && { fsBytes: BigInt(fsBytes) }),
    ...(marks.get('shredded') === SHREDDING && { isShredding: true }),
    ...(marks.get('shredded') === SHREDDED && { isShredded: true }),
    ...(trashedAt !== undefined && { trashedAt: Number(trashedAt) }),
  };
}

/** On a thin pool that was made because a volume asked for it. It belongs to no volume, and so has none of the marks of one. */
export const POOL_TAG = 'holdfast.dev:thin-pool';

/** Whether it has any mark of ours, also one that says nothing. */
export const isMarked = ({ tags }: { readonly tags: readonly string[] }): boolean =>
  tags.some((tag) => tag.startsWith(PREFIX));

const STATES: readonly Owner['state'][] = ['wiping', 'new', 'ready'];
const isState = (text: string | undefined): text is Owner['state'] => STATES.some((state) => state === text);

/** What has to be added to and taken from the tags of a volume so that they say this and nothing else of ours. */
export function changeOfTags(
  { tags }: { readonly tags: readonly string[] },
  owner: Owner,
): { readonly add: readonly string[]; readonly remove: readonly string[] } {
  const wanted = tagsOf(owner);
  return {
    add: wanted.filter((tag) => !tags.includes(tag)),
    remove: tags.filter((tag) => tag.startsWith(PREFIX) && !wanted.includes(tag)),
  };
}

function marksIn(tags: readonly string[]): ReadonlyMap<string, string> | undefined {
  const ours = tags.filter((tag) => tag.startsWith(PREFIX)).map(decodeTag);
  const marks = new Map(ours.flatMap((mark) => (mark ? [[mark.key, mark.value]] : [])));
  return marks.size === ours.length ? marks : undefined;
}

const digits = (text: string | undefined): string | undefined => (text && /^\d{1,20}$/.test(text) ? text : undefined);

function optionsIn(marks: ReadonlyMap<string, string>): Owner['options'] {
  return Object.fromEntries(
    OPTION_KEYS.flatMap((key) => {
      const value = marks.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

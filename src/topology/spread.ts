/** Where a volume is used, for one label: the places that its users are in, as far as they are known. Pure. */
import type { Volume } from './cached.ts';
import { TOPOLOGY_LABELS } from './contract.ts';
import type { User } from './seen.ts';
import { valueFault, valuesIn } from './values.ts';

export interface Spread {
  readonly key: string;
  /** Sorted: where it is used by a pod that is ready, and where it is labelled and somebody may still use it. */
  readonly values: readonly string[];
}

/** Users that have been placed. Any other is in no place yet. */
export const placed = (users: readonly User[]): readonly User[] => users.filter(({ node }) => node !== undefined);

export const ready = (users: readonly User[]): readonly User[] =>
  placed(users).filter(({ readySince }) => readySince !== undefined);

/** Those that have been ready for longest come first. */
export const inOrder = (users: readonly User[]): readonly User[] =>
  users.toSorted((a, b) => (a.readySince ?? 0) - (b.readySince ?? 0) || (a.pod < b.pod ? -1 : 1));

/** The value of a user's node that can stand on a volume; nothing when it has none, or is not known. */
export function placeOf({ labels }: User, key: string): string | undefined {
  const value = labels?.[key];
  return value !== undefined && valueFault(value) === undefined ? value : undefined;
}

/**
 * Nothing when no ready user says where it is, or when the label would keep the pod of a ready user from coming back to its own
 * node: the scheduler takes a node without this label for a place elsewhere, unless it has no topology at all.
 *
 * A value that is there is only given up when it is certain that nobody is left there.
 */
export function spreadOf(key: string, volume: Volume, users: readonly User[]): Spread | undefined {
  const here = ready(users);
  const values = here.map((user) => placeOf(user, key)).filter((value) => value !== undefined);
  if (values.length === 0 || here.some((user) => wouldBeLeftOut(user, key))) return undefined;
  const present = placed(users).map((user) => placeOf(user, key));
  const mayBeUsed = (value: string) => present.includes(value) || present.includes(undefined);
  const kept = valuesIn(volume.labels[key]).filter(mayBeUsed);
  return { key, values: [...new Set([...values, ...kept])].sort() };
}

export const wouldBeLeftOut = (user: User, key: string): boolean =>
  placeOf(user, key) === undefined && TOPOLOGY_LABELS.some((each) => user.labels?.[each] !== undefined);

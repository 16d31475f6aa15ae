/** Where a volume is used, for one label: the places that its users are in, as far as they are known. Pure. */
import type { Labels } from '../kit/label-requirements.ts';
import type { Volume } from './cached.ts';
import { namesPlace, TOPOLOGY_LABELS } from './contract.ts';
import type { Reason } from './reasons.ts';
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
 * node. A value that is there is only given up when it is certain that nobody is left there, or on the way there.
 */
export function spreadOf(key: string, volume: Volume, users: readonly User[]): Spread | undefined {
  const here = ready(users);
  const values = here.map((user) => placeOf(user, key)).filter((value) => value !== undefined);
  if (values.length === 0 || here.some((user) => wouldBeLeftOut(user, key))) return undefined;
  const kept = valuesIn(volume.labels[key]).filter((value) => maybeUsedIn(value, key, volume, users));
  return { key, values: [...new Set([...values, ...kept])].sort() };
}

/**
 * A user whose node is gone, or has no such label, may be anywhere. One that waits for a node may come back to a place that we have
 * named, which is what lets it; a value of somebody else is no such promise.
 */
function maybeUsedIn(value: string, key: string, { writers }: Volume, users: readonly User[]): boolean {
  const isOurs = writers[key] === undefined;
  return users.some((user) => {
    if (user.node === undefined) return isOurs;
    return [value, undefined].includes(placeOf(user, key));
  });
}

/** The scheduler takes a node without this label for a place elsewhere, unless the node has no topology at all. */
const wouldBeLeftOut = (user: User, key: string): boolean =>
  namesPlace(key) && placeOf(user, key) === undefined && hasTopology(user.labels ?? {});

const hasTopology = (labels: Labels): boolean => TOPOLOGY_LABELS.some((key) => labels[key] !== undefined);

/** The nodes of ready users that have neither a zone nor a region. */
export const bareNodesOf = (users: readonly User[]): readonly string[] =>
  ready(users).flatMap(({ node, labels }) => (node !== undefined && labels && !hasTopology(labels) ? [node] : []));

/** Many labels of nodes are there without a value, which says nothing that could be taken over. A zone without a name is a mistake. */
const isMeant = (value: string | undefined, key: string): value is string =>
  value !== undefined && (value !== '' || namesPlace(key));

/** Why a label is not what it should be although ready users are there; nothing when there is nothing to be said about it. */
export function faultOf(key: string, volume: Volume, users: readonly User[]): Reason | undefined {
  const here = inOrder(ready(users));
  for (const { node = '', labels } of here) {
    const value = labels?.[key];
    const fault = isMeant(value, key) ? valueFault(value) : undefined;
    if (fault !== undefined) return { fact: 'nodeValueIsUnusable', node, key, fault };
  }
  const isNamed = Boolean(volume.labels[key]) || here.some((user) => placeOf(user, key) !== undefined);
  const leftOut = isNamed ? here.find((user) => wouldBeLeftOut(user, key)) : undefined;
  return leftOut && { fact: 'aUserWouldBeLeftOut', node: leftOut.node ?? '', key, pod: leftOut.pod };
}

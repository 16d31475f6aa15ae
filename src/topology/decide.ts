/**
 * Decides which labels a volume should have. Pure: everything it may know is in `Seen`, everything it wants is in `Decision`.
 * The facts that forbid all labels are tried one after the other, each by a function that is named after it; those that forbid one are
 * in left-out.ts.
 */

import type { NodeSelectorObject } from '../kit/node-selectors.ts';
import type { Volume } from './cached.ts';
import { namesPlace, type Policy } from './contract.ts';
import { firstPlace } from './first-place.ts';
import { differencesOf, type LeftOut, leftOutOf } from './left-out.ts';
import type { Difference, Reason } from './reasons.ts';
import type { Seen, User } from './seen.ts';
import { bareNodesOf, faultOf, inOrder, placeOf, ready, type Spread, spreadOf } from './spread.ts';
import { isPartOf, labelOf, nameTheSame } from './values.ts';

export type Decision = Label | { readonly do: 'nothing'; readonly because: Reason };

export interface Label {
  readonly do: 'label';
  /** Only those that have to be written. */
  readonly labels: Readonly<Record<string, string>>;
  readonly nodeAffinity?: NodeSelectorObject;
  /** The labels that had another value. */
  readonly replaced: readonly Difference[];
  /** Those of the labels that only give places up that nobody is in any more. They are in no hurry: a pod that is replaced is away for a moment. */
  readonly narrowing: readonly string[];
  /** The users that the labels were taken from, one for each place, those that have been ready for longest first. */
  readonly sources: readonly User[];
  /** What a person should know of this volume all the same; of several such things the first. */
  readonly trouble?: Reason;
}

/** What of it need not wait, which is all that gives no place up; nothing when that is nothing. */
export function atOnce(label: Label): Label | undefined {
  if (label.narrowing.length === 0) return label;
  const needNotWait = (key: string) => !label.narrowing.includes(key);
  const labels = Object.fromEntries(Object.entries(label.labels).filter(([key]) => needNotWait(key)));
  if (Object.keys(labels).length === 0) return undefined;
  return { ...label, labels, narrowing: [], replaced: label.replaced.filter(({ key }) => needNotWait(key)) };
}

type Guard = (seen: Seen, policy: Policy) => Reason | undefined;

export function decide(seen: Seen, policy: Policy): Decision {
  const because = whyLeftAlone(seen, policy);
  if (because) return nothing(because);
  const spreads = placesFor(seen, policy);
  const leftOut = leftOutOf(spreads, seen.volume, policy);
  const wanted = spreads.filter(({ key }) => !leftOut.has(key));
  return whatIsMissing(seen, wanted, leftOut, policy);
}

const nothing = (because: Reason): Decision => ({ do: 'nothing', because });

function whyLeftAlone(seen: Seen, policy: Policy): Reason | undefined {
  for (const guard of GUARDS) {
    const reason = guard(seen, policy);
    if (reason) return reason;
  }
  return undefined;
}

const accessModeIsLeftOut: Guard = ({ volume: { accessModes } }, policy) =>
  accessModes.every((mode) => policy.accessModes.includes(mode))
    ? undefined
    : { fact: 'accessModeIsLeftOut', modes: accessModes };

const volumeIsUnclaimed: Guard = ({ binding }) => (binding === 'unclaimed' ? { fact: 'volumeIsUnclaimed' } : undefined);

const claimIsGone: Guard = ({ binding, volume }) =>
  binding === 'claimIsGone' ? { fact: 'claimIsGone', claim: claimOf(volume) } : undefined;

const claimIsNotBound: Guard = ({ binding, volume }) =>
  binding === 'claimIsElsewhere' ? { fact: 'claimIsNotBound', claim: claimOf(volume) } : undefined;

const noPodUsesIt: Guard = ({ users, volume }) =>
  users.length === 0 ? { fact: 'noPodUsesIt', claim: claimOf(volume) } : undefined;

const noPodIsReady: Guard = ({ users }) =>
  ready(users).length === 0 ? { fact: 'noPodIsReady', pods: users.map(({ pod }) => pod).sort() } : undefined;

const GUARDS: readonly Guard[] = [
  accessModeIsLeftOut,
  volumeIsUnclaimed,
  claimIsGone,
  claimIsNotBound,
  noPodUsesIt,
  noPodIsReady,
];

const claimOf = ({ claim }: Volume): string => claim?.key ?? '';

/** Where the labels should say that the volume is. None where a label would keep a user from its own node, or no user is known to be. */
function placesFor({ volume, users }: Seen, { labelKeys, multiZone }: Policy): readonly Spread[] {
  const spreads = labelKeys.map((key) => spreadOf(key, volume, users)).filter((spread) => spread !== undefined);
  const several = spreads.filter(({ values }) => values.length > 1).map(({ key }) => key);
  if (multiZone !== 'first' || several.length === 0) return spreads;
  const keys = several.some(namesPlace) ? labelKeys : labelKeys.filter((key) => !namesPlace(key));
  return [...spreads.filter(({ key }) => !keys.includes(key)), ...firstPlace(volume, users, keys)];
}

/** The first thing that a person should know of a volume that has a ready user; nothing when all is well. */
function troubleOf({ volume, users }: Seen, { labelKeys }: Policy, leftOut: LeftOut): Reason | undefined {
  for (const key of labelKeys) {
    const trouble = leftOut.get(key) ?? faultOf(key, volume, users);
    if (trouble) return trouble;
  }
  return undefined;
}

/** Asked of a volume that has all labels that its ready users could lend: it may be that they have no place. */
function whyRight(wanted: readonly Spread[], users: readonly User[]): Reason {
  if (wanted.some(({ key }) => namesPlace(key))) return { fact: 'alreadyRight' };
  const [{ pod, node = '', labels }] = inOrder(ready(users)) as [User];
  return { fact: labels ? 'nodeHasNoTopology' : 'nodeIsGone', node, pod };
}

/** The nodes that lend no place to a volume that is to be labelled, since they have neither a zone nor a region. */
export const nodesWithoutTopology = (seen: Seen, policy: Policy): readonly string[] =>
  accessModeIsLeftOut(seen, policy) ? [] : bareNodesOf(seen.users);

function whatIsMissing(seen: Seen, wanted: readonly Spread[], leftOut: LeftOut, policy: Policy): Decision {
  const { volume, users } = seen;
  const trouble = troubleOf(seen, policy, leftOut);
  const labels = wanted.map(({ key, values }) => [key, labelOf(values)] as const);
  const missing = labels.filter(([key, label]) => !nameTheSame(volume.labels[key], label));
  const narrowing = missing.filter(([key, label]) => isPartOf(label, volume.labels[key])).map(([key]) => key);
  const isCertain = policy.nodeAffinity && narrowing.length === 0 && leftOut.size === 0;
  const nodeAffinity = isCertain ? affinityFor(volume, users, wanted) : undefined;
  if (missing.length === 0 && !nodeAffinity) return nothing(trouble ?? whyRight(wanted, users));
  return {
    do: 'label',
    labels: Object.fromEntries(missing),
    ...(nodeAffinity && { nodeAffinity }),
    replaced: differencesOf(volume, missing),
    narrowing,
    sources: onePerPlace(users, wanted),
    ...(trouble && { trouble }),
  };
}

/**
 * It can be set once and never be changed. So only where it is certain: one node at a time can use the volume, the labels name no place
 * that somebody may come back to, and all of its users are known to be in the one place that they name. One that waits for a node is not.
 */
function affinityFor(
  volume: Volume,
  users: readonly User[],
  wanted: readonly Spread[],
): NodeSelectorObject | undefined {
  if (wanted.length === 0 || volume.hasNodeAffinity || !isForOneNode(volume)) return undefined;
  const isThere = (user: User) => wanted.every(({ key, values }) => labelOf(values) === placeOf(user, key));
  if (!users.every(isThere)) return undefined;
  const matchExpressions = wanted.map(({ key, values }) => ({ key, operator: 'In', values: [...values] }));
  return { nodeSelectorTerms: [{ matchExpressions }] };
}

const ONE_NODE_AT_A_TIME: ReadonlySet<string> = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

const isForOneNode = ({ accessModes }: Volume): boolean =>
  accessModes.length > 0 && accessModes.every((mode) => ONE_NODE_AT_A_TIME.has(mode));

function onePerPlace(users: readonly User[], wanted: readonly Spread[]): readonly User[] {
  const places = new Map<string, User>();
  const isSource = (user: User) => wanted.some(({ key, values }) => values.includes(placeOf(user, key) ?? ''));
  for (const user of inOrder(ready(users).filter(isSource))) {
    const place = JSON.stringify(wanted.map(({ key }) => placeOf(user, key)));
    if (!places.has(place)) places.set(place, user);
  }
  return [...places.values()];
}

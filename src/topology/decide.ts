/**
 * Decides which labels a volume should have. Pure: everything it may know is in `Seen`, everything it wants is in `Decision`.
 * The facts that forbid a label are tried one after the other, each by a function that is named after it.
 */

import { LONGEST_LABEL_PART } from '../kit/names.ts';
import type { NodeSelectorObject } from '../kit/node-selectors.ts';
import type { Volume } from './cached.ts';
import type { Policy } from './contract.ts';
import { firstPlace } from './first-place.ts';
import type { Difference, Reason } from './reasons.ts';
import type { Seen, User } from './seen.ts';
import { faultOf, inOrder, placeOf, ready, type Spread, spreadOf } from './spread.ts';
import { labelOf, nameTheSame, valuesIn } from './values.ts';

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
  const wanted = whyLeftAlone(seen, policy) ?? placesFor(seen, policy);
  if ('fact' in wanted) return nothing(wanted);
  const labels = Object.fromEntries(wanted.map(({ key, values }) => [key, labelOf(values)]));
  const fault = placesDoNotFit(labels) ?? anotherValueIsKept(seen.volume, labels, policy);
  return fault ? nothing(fault) : whatIsMissing(seen, wanted, labels, policy);
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

/** Where the labels should say that the volume is, or why that cannot be told. */
function placesFor({ volume, users }: Seen, policy: Policy): readonly Spread[] | Reason {
  const spreads = policy.labelKeys.map((key) => spreadOf(key, volume, users)).filter((spread) => spread !== undefined);
  if (spreads.length === 0) return whyNowhere(volume, users, policy);
  const several = spreads.find(({ values }) => values.length > 1);
  if (!several || policy.multiZone === 'set') return spreads;
  if (policy.multiZone === 'skip') return { ...several, fact: 'usedInSeveralPlaces' };
  return firstPlace(volume, users, policy.labelKeys);
}

/** Asked when there is no label that the nodes of all ready users have. */
function whyNowhere(volume: Volume, users: readonly User[], policy: Policy): Reason {
  const [{ pod, node = '', labels }] = inOrder(ready(users)) as [User];
  if (!labels) return { fact: 'nodeIsGone', node, pod };
  return firstFault(volume, users, policy) ?? { fact: 'nodeHasNoTopology', node, pod };
}

function firstFault(volume: Volume, users: readonly User[], { labelKeys }: Policy): Reason | undefined {
  for (const key of labelKeys) {
    const fault = faultOf(key, volume, users);
    if (fault) return fault;
  }
  return undefined;
}

function placesDoNotFit(labels: Readonly<Record<string, string>>): Reason | undefined {
  const tooLong = Object.entries(labels).find(([, label]) => label.length > LONGEST_LABEL_PART);
  return tooLong && { fact: 'placesDoNotFit', key: tooLong[0], label: tooLong[1] };
}

/** A label beside one that names another place would name a place that there is not: then none is written. */
function anotherValueIsKept(
  volume: Volume,
  labels: Readonly<Record<string, string>>,
  policy: Policy,
): Reason | undefined {
  const differences = differencesOf(volume, labels);
  return policy.overwrite === 'missing' && differences.length > 0
    ? { fact: 'anotherValueIsKept', differences }
    : undefined;
}

function differencesOf(volume: Volume, labels: Readonly<Record<string, string>>): readonly Difference[] {
  return Object.entries(labels).flatMap(([key, wanted]) => {
    const is = volume.labels[key];
    if (!is || nameTheSame(is, wanted)) return [];
    const writer = volume.writers[key];
    return [{ key, is, wanted, ...(writer !== undefined && { writer }) }];
  });
}

function whatIsMissing(
  { volume, users }: Seen,
  wanted: readonly Spread[],
  labels: Readonly<Record<string, string>>,
  policy: Policy,
): Decision {
  const missing = Object.entries(labels).filter(([key, label]) => !nameTheSame(volume.labels[key], label));
  const narrowing = missing.filter(([key, label]) => isPartOf(label, volume.labels[key])).map(([key]) => key);
  const isCertain = policy.nodeAffinity && narrowing.length === 0;
  const nodeAffinity = isCertain ? affinityFor(volume, users, wanted) : undefined;
  if (missing.length === 0 && !nodeAffinity)
    return nothing(firstFault(volume, users, policy) ?? { fact: 'alreadyRight' });
  return {
    do: 'label',
    labels: Object.fromEntries(missing),
    ...(nodeAffinity && { nodeAffinity }),
    replaced: differencesOf(volume, labels),
    narrowing,
    sources: onePerPlace(users, wanted),
  };
}

const isPartOf = (label: string, of: string | undefined): boolean =>
  valuesIn(label).every((value) => valuesIn(of).includes(value));

/**
 * It can be set once and never be changed. So only where it is certain: one node at a time can use the volume, the labels name no place
 * that somebody may come back to, and all of its users are known to be in the one place that they name. One that waits for a node is not.
 */
function affinityFor(
  volume: Volume,
  users: readonly User[],
  wanted: readonly Spread[],
): NodeSelectorObject | undefined {
  if (volume.hasNodeAffinity || !isForOneNode(volume)) return undefined;
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

/** What people are told in Events: what could not be labelled and why, and whose value was replaced. Labels as such are told by themselves. */
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { quote } from '../kit/invalid-value.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import { type ObjectReference, referenceTo } from '../kit/observe/reference.ts';
import type { Volume } from './cached.ts';
import { type Difference, explain, type Fact, foreign, type Reason } from './reasons.ts';
import { isPartOf } from './values.ts';

const ACTION = 'Label';

/** Events are writes, too: a dry run makes none. */
export const silence: EventRecorder = { record: () => {} };

/** Each is explained in explanations.ts. */
export type EventReason =
  | 'TopologyConflict'
  | 'TopologyUnusable'
  | 'TopologyIncomplete'
  | 'TopologyTooLong'
  | 'TopologySkipped'
  | 'TopologyReplaced'
  | 'TopologyContested'
  | 'TopologyFailed'
  | 'TopologyMissing';

type Told = Occurrence<EventReason>;

const aboutVolume = ({ name, uid }: Pick<Volume, 'name' | 'uid'>): ObjectReference =>
  referenceTo(PERSISTENT_VOLUMES, { metadata: { name, uid } });

/** The facts that a person should hear of. The others are the ordinary life of a volume, or pass by themselves. */
export const TOLD: ReadonlyMap<Fact, EventReason> = new Map<Fact, EventReason>([
  ['anotherValueIsKept', 'TopologyConflict'],
  ['nodeValueIsUnusable', 'TopologyUnusable'],
  ['aUserWouldBeLeftOut', 'TopologyIncomplete'],
  ['placesDoNotFit', 'TopologyTooLong'],
  ['usedInSeveralPlaces', 'TopologySkipped'],
]);

/** Whether a person should look at it. */
export const isTrouble = (fact: Fact): boolean => TOLD.has(fact);

/** Nothing when the reason is nothing to worry about. */
export function leftAlone(volume: Volume, because: Reason): Told | undefined {
  const reason = TOLD.get(because.fact);
  if (!reason || isOnlyKeptWide(because)) return undefined;
  const note = `Not every label of the volume is as its nodes say: ${explain(because)}`;
  return { regarding: aboutVolume(volume), type: 'Warning', reason, action: ACTION, note };
}

/** A label of our own that names more places than it is used in keeps nobody from any place, and the flag wants it to stay. */
const isOnlyKeptWide = (because: Reason): boolean =>
  because.fact === 'anotherValueIsKept' &&
  because.differences.every(({ is, wanted, writer }) => writer === undefined && isPartOf(wanted, is));

/** Somebody's value was replaced. Our own is replaced whenever a pod moves, which is no news. */
export function replaced(volume: Volume, differences: readonly Difference[]): Told | undefined {
  const theirs = foreign(differences);
  if (theirs.length === 0) return undefined;
  const sentences = theirs.map(
    ({ key, is, wanted, writer }) => `${key} was ${quote(is)}, written by ${writer}, and is now ${quote(wanted)}`,
  );
  const note = `${sentences.join('; ')}: that is where the pods that use it run. --overwrite=missing would keep it`;
  return { regarding: aboutVolume(volume), type: 'Normal', reason: 'TopologyReplaced', action: ACTION, note };
}

/** What we write does not stay. */
export function contested(volume: Volume): Told {
  const note =
    'Somebody changes the topology labels of this volume again and again. They are put right after longer and longer pauses: ' +
    'find out who it is (kubectl get pv --show-managed-fields), or run Holdfast with --overwrite=missing';
  return { regarding: aboutVolume(volume), type: 'Warning', reason: 'TopologyContested', action: ACTION, note };
}

export function failed(volume: Volume, error: unknown): Told {
  const note = `The volume could not be labelled: ${error instanceof Error ? error.message : error}`;
  return { regarding: aboutVolume(volume), type: 'Warning', reason: 'TopologyFailed', action: ACTION, note };
}

export function nodeWithoutTopology(name: string, uid: string): Told {
  const note =
    'The node has neither a zone nor a region, so the volumes of its pods get none from it. ' +
    `Label it: kubectl label node ${name} topology.kubernetes.io/zone=ZONE`;
  const regarding = referenceTo(NODES, { metadata: { name, uid } });
  return { regarding, type: 'Warning', reason: 'TopologyMissing', action: ACTION, note };
}

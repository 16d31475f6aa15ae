/** What the status of a resource says. It is made from how a run ended, and stays the same as long as that does. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Condition,
  type ConditionType,
  MOST_MANAGED_VOLUMES,
  type PersistentVolumeSync,
  type SyncStatus,
} from './contract.ts';
import type { Reason } from './reasons.ts';

/** How a condition stands, without the time since when. */
export type Standing = Pick<Condition, 'status' | 'message'> & { readonly reason: Reason };

/** How a run ended: what it says of each condition, and what is known now. What it leaves out stays as it was. */
export interface Ending {
  /** Nothing is wrong, and nothing is left to be done. */
  readonly succeeded: boolean;
  readonly errorMessage?: string;
  /** Those that are not among them say nothing in this mode, and go. */
  readonly conditions: Readonly<Partial<Record<ConditionType, Standing>>>;
  readonly known: Partial<
    Pick<
      SyncStatus,
      'export' | 'fenced' | 'pointerSeen' | 'seen' | 'rpoSeconds' | 'rtoSeconds' | 'lastDrill' | 'drills'
    >
  >;
  readonly managed?: Managed;
  /** What stands in the way, and of how many objects. */
  readonly facts?: ReadonlyMap<string, number>;
}

export interface Managed {
  /** In any order. */
  readonly volumes: Iterable<string>;
  readonly claims: number;
}

export function statusOf(sync: PersistentVolumeSync, ending: Ending, now: Date): SyncStatus {
  const { status: before = {}, metadata, spec } = sync;
  const { errorMessage: _, rpoSeconds, fenced, ...kept } = before;
  return {
    ...kept,
    ...(spec.mode === 'Recovery' && rpoSeconds !== undefined && { rpoSeconds }),
    ...(spec.mode === 'Protected' && fenced !== undefined && { fenced }),
    ...ending.known,
    ...(ending.managed && managedOf(ending.managed)),
    succeeded: ending.succeeded,
    ...(ending.errorMessage !== undefined && { errorMessage: ending.errorMessage }),
    lastRun: timeOf(now),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    conditions: conditionsOf(sync, ending, now),
  };
}

function managedOf({ volumes, claims }: Managed): Partial<SyncStatus> {
  const names = [...volumes].toSorted();
  return {
    managedVolumes: names.slice(0, MOST_MANAGED_VOLUMES),
    managedVolumeCount: names.length,
    managedClaimCount: claims,
  };
}

function conditionsOf({ status, metadata }: PersistentVolumeSync, ending: Ending, now: Date): readonly Condition[] {
  return Object.entries(ending.conditions).map(([type, standing]): Condition => {
    const before = status?.conditions?.find((each) => each.type === type);
    return {
      type: type as ConditionType,
      ...standing,
      ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
      lastTransitionTime: before?.status === standing.status ? before.lastTransitionTime : timeOf(now),
    };
  });
}

/** As the API writes times. */
export const timeOf = (now: Date): string => now.toISOString().replace(/\.\d+Z$/, 'Z');

/** As a merge patch: a field that is no longer said goes, at any depth, which such a patch has to be told. */
export function replacing(before: object | undefined, after: object): Readonly<Record<string, unknown>> {
  const said = new Map(Object.entries(before ?? {}));
  const gone = [...said.keys()].map((field) => [field, null] as const);
  const now = Object.entries(after).map(([field, value]) => [
    field,
    isRecord(value) ? replacing(isRecord(said.get(field)) ? said.get(field) : undefined, value) : value,
  ]);
  return Object.fromEntries([...gone, ...now]);
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** When nothing else is new, the time of the last run is told only so often. */
const STALE_MS = 300_000;

/** Whether people would learn something from it that the one before does not say. */
export function isNews(before: SyncStatus | undefined, after: SyncStatus): boolean {
  if (!isDeepStrictEqual(withoutTimes(before), withoutTimes(after))) return true;
  return Date.parse(after.lastRun ?? '') - Date.parse(before?.lastRun ?? '') >= STALE_MS;
}

/** Without what changes with every run. */
function withoutTimes(status: SyncStatus | undefined): object | undefined {
  if (!status) return undefined;
  const { lastRun, rpoSeconds, export: exported, ...rest } = status;
  const { confirmedAt, ...which } = exported ?? {};
  return { ...rest, export: exported && which };
}

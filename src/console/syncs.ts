/** How a PersistentVolumeSync is shown. Pure. */
import { inUnits } from '../kit/in-words.ts';
import type { Condition, PersistentVolumeSync } from '../sync/contract.ts';
import type { Action, Activity, Health, Need, SyncMoment, SyncRow } from './model.ts';
import { type Shown, sentence } from './shown.ts';

export interface KnownOfSync {
  readonly sync: PersistentVolumeSync;
  readonly timeline: readonly SyncMoment[];
  /** Whether this console can read the object store, which a drill needs. */
  readonly canReadStore: boolean;
}

export function syncShown({ sync, timeline, canReadStore }: KnownOfSync, now: Date): Shown<SyncRow> {
  const { metadata, spec, status = {} } = sync;
  const { conditions = [], export: newest, rtoSeconds } = status;
  const name = metadata.name ?? '';
  const troubles = troublesOf(sync, now);
  const drill = drillOf(sync, canReadStore);
  const row: SyncRow = {
    name,
    mode: spec.mode,
    protectedCluster: spec.protectedCluster,
    provider: spec.cloudProvider,
    health: healthOf(spec.mode, conditions, troubles),
    conditions: conditions.map(({ type, status: is, reason, message, lastTransitionTime }) => ({
      type,
      status: is,
      reason,
      message,
      since: lastTransitionTime,
    })),
    volumes: status.managedVolumeCount ?? 0,
    claims: status.managedClaimCount ?? 0,
    ...(newest && { newest: newestOf(newest) }),
    ...(rtoSeconds !== undefined && { rtoSeconds }),
    timeline,
    ...(drill && { drill }),
  };
  return { row, needs: troubles, activities: activitiesOf(sync) };
}

const linkTo = (name: string): string => `#/sync/${encodeURIComponent(name)}`;

const newestOf = ({
  key,
  exportedAt,
  confirmedAt,
  epoch,
  sequence,
}: NonNullable<NonNullable<PersistentVolumeSync['status']>['export']>): NonNullable<SyncRow['newest']> => ({
  key,
  exportedAt,
  ...(confirmedAt !== undefined && { confirmedAt }),
  ...(epoch !== undefined && { epoch }),
  ...(sequence !== undefined && { sequence }),
});

const isSo = (conditions: readonly Condition[], type: Condition['type']): boolean =>
  conditions.some((each) => each.type === type && each.status === 'True');

/** Well is only what says so itself. */
function healthOf(mode: SyncRow['mode'], conditions: readonly Condition[], troubles: readonly Need[]): Health {
  if (conditions.length === 0) return 'unknown';
  if (troubles.length > 0) return 'attention';
  if (isSo(conditions, 'WaitingForExport') || isPending(conditions)) return 'busy';
  return isSo(conditions, mode === 'Protected' ? 'Exported' : 'InSync') ? 'well' : 'unknown';
}

const isPending = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ type, status }) => type === 'InSync' && status === 'Unknown');

/** An operator that is well tells of its last run, and a writer of its export, several times in this time. */
const STALE_MS = 15 * 60_000;

const isYoung = (createdAt: string | undefined, now: Date): boolean =>
  createdAt !== undefined && now.getTime() - Date.parse(createdAt) < STALE_MS;

function troublesOf({ metadata, spec, status }: PersistentVolumeSync, now: Date): readonly Need[] {
  const name = metadata.name ?? '';
  const { conditions = [], export: newest, lastRun } = status ?? {};
  const common = { job: 'sync' as const, link: linkTo(name) };
  const wrong = conditions
    .filter((each) => isTrouble(each, conditions))
    .map(
      ({ type, reason, message }): Need => ({
        ...common,
        id: `sync:${name}:${type}`,
        severity: 'urgent',
        what: sentence(`${whatFails(type, name)}: ${message || reason}`),
        remedy: 'Its conditions and Events tell what to do about it.',
        command: `kubectl describe pvsync ${name}`,
      }),
    );
  const unseen: Need = {
    ...common,
    id: `sync:${name}:unseen`,
    severity: isYoung(metadata.creationTimestamp, now) ? 'soon' : 'urgent',
    what: `Nobody has looked after the sync ${name} yet.`,
    remedy: 'See whether holdfast sync runs.',
    command: 'holdfast status sync',
  };
  if (conditions.length === 0) return [unseen];
  const confirmedAt = newest?.confirmedAt ?? newest?.exportedAt;
  const ageMs = confirmedAt ? now.getTime() - Date.parse(confirmedAt) : 0;
  const silentMs = lastRun ? now.getTime() - Date.parse(lastRun) : 0;
  if (silentMs > STALE_MS)
    return [
      ...wrong,
      {
        ...common,
        id: `sync:${name}:silent`,
        severity: 'urgent',
        what: `Nobody has looked after the sync ${name} for ${inUnits(silentMs)}.`,
        remedy: 'See whether holdfast sync runs.',
        command: 'holdfast status sync',
      },
    ];
  if (spec.mode === 'Recovery' && ageMs > STALE_MS)
    return [
      ...wrong,
      {
        ...common,
        id: `sync:${name}:stale`,
        severity: 'urgent',
        what: `The cluster ${spec.protectedCluster} has confirmed no export for ${inUnits(ageMs)}.`,
        remedy: 'See whether it lives. If it does not, its volumes can be used here.',
        command: 'holdfast sync plan',
      },
    ];
  return wrong;
}

/** What says only that something else is not so is said by that. */
function isTrouble({ type, status }: Condition, all: readonly Condition[]): boolean {
  if (type === 'Refused' || type === 'Deposed') return status === 'True';
  if (type === 'Exported') return status === 'False' && !isSo(all, 'Refused') && !isSo(all, 'Deposed');
  return type === 'InSync' && status === 'False' && !isSo(all, 'Refused') && !isSo(all, 'WaitingForExport');
}

function whatFails(type: Condition['type'], name: string): string {
  switch (type) {
    case 'Exported':
      return `the sync ${name} does not export`;
    case 'InSync':
      return `the sync ${name} has not restored everything`;
    case 'Deposed':
      return `the sync ${name} writes no more, because another cluster has taken over`;
    default:
      return `the sync ${name} refuses something`;
  }
}

function activitiesOf({ metadata, status }: PersistentVolumeSync): readonly Activity[] {
  const name = metadata.name ?? '';
  const pending = status?.conditions?.find(({ type, status: is }) => type === 'InSync' && is === 'Unknown');
  if (!pending) return [];
  return [
    { id: `sync:${name}`, job: 'sync', kind: 'restore', subject: name, detail: pending.message, link: linkTo(name) },
  ];
}

/** Where exports are restored, and the object store can be read. */
export function drillOf({ metadata, spec, status }: PersistentVolumeSync, canReadStore: boolean): Action | undefined {
  if (spec.mode !== 'Recovery' || !canReadStore) return undefined;
  const { name = '' } = metadata;
  const { managedVolumeCount = 0, managedClaimCount = 0 } = status ?? {};
  return {
    name: 'start-drill',
    to: { sync: name },
    label: 'Start a drill',
    consequence:
      `Copies of about ${managedVolumeCount} volumes and ${managedClaimCount} claims of the newest export are made in this cluster under other names, ` +
      'read-only, until the binder has bound them. Then they are removed. No pod is started and no data is read.',
    confirmBy: 'drill',
  };
}

/** What people are told in Events on the resource: what was exported or restored, and what is wrong. */
import type { Occurrence } from '../kit/observe/event.ts';
import { referenceTo } from '../kit/observe/reference.ts';
import { PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from './contract.ts';
import type { EventReason } from './reasons.ts';

const occurrence =
  <R extends string = EventReason>(type: Occurrence['type'], action: string) =>
  (sync: PersistentVolumeSync, reason: R, note: string): Occurrence<R> => ({
    regarding: referenceTo(PERSISTENT_VOLUME_SYNCS, sync),
    type,
    reason,
    action,
    note,
  });

/** Something keeps it from doing what it should; the reason is that of the condition, which has been written by us. */
export const wrong = occurrence<string>('Warning', 'Sync');
/** What was wrong is so no longer. */
export const well = occurrence('Normal', 'Sync');
export const restored = occurrence('Normal', 'Restore');
export const released = occurrence('Normal', 'Release');

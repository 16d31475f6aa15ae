/** What people are told in Events on the resource: what was exported or restored, and what is wrong. */
import type { Occurrence } from '../kit/observe/event.ts';
import { referenceTo } from '../kit/observe/reference.ts';
import { PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from './contract.ts';

const occurrence =
  (type: Occurrence['type'], action: string) =>
  (sync: PersistentVolumeSync, reason: string, note: string): Occurrence => ({
    regarding: referenceTo(PERSISTENT_VOLUME_SYNCS, sync),
    type,
    reason,
    action,
    note,
  });

/** Something keeps it from doing what it should; the reason is the fact that it rests on. */
export const wrong = occurrence('Warning', 'Sync');
/** What was wrong is so no longer. */
export const well = occurrence('Normal', 'Sync');
export const restored = occurrence('Normal', 'Restore');
export const released = occurrence('Normal', 'Release');

/** The words and the health of a device's state: one for each everywhere. */
import type { DeviceRow, Health, LogicalVolumeRow } from '../../../src/console/model.ts';

export const DEVICE_WORDS: Readonly<Record<DeviceRow['state'], string>> = {
  available: 'Free',
  bound: 'In use',
  new: 'New',
  released: 'Released',
  wiping: 'Wiping',
  planned: 'Wipe planned',
  failed: 'Failed',
  refused: 'Refused',
};

export const DEVICE_HEALTH: Readonly<Record<DeviceRow['state'], Health>> = {
  available: 'well',
  bound: 'well',
  new: 'busy',
  released: 'busy',
  wiping: 'busy',
  planned: 'attention',
  failed: 'failed',
  refused: 'attention',
};

export const LV_HEALTH: Readonly<Record<LogicalVolumeRow['state'], Health>> = {
  ready: 'well',
  working: 'busy',
  removing: 'busy',
  waiting: 'busy',
  refused: 'attention',
  failed: 'failed',
  unreported: 'unknown',
};

/** For tests: what is known of volumes, as short as it can be told. */
import type { DeviceStatus } from '../devices/status.ts';
import type { Health, VolumeRow } from './model.ts';
import type { Seen } from './rights.ts';
import type { Shown } from './shown.ts';
import type { SeenVolume } from './views.ts';
import type { KnownOfVolume } from './volumes.ts';

export const seenVolume = (parts: Partial<SeenVolume> = {}): SeenVolume => ({
  name: 'a',
  uid: 'uid-of-a',
  phase: 'Bound',
  capacityBytes: 1024,
  createdAt: '2026-01-01T00:00:00Z',
  isDeleting: false,
  isLocalDisk: false,
  reclaimPolicy: 'Retain',
  isToBeExported: false,
  ...parts,
});

export const knownOfVolume = (parts: Partial<KnownOfVolume> = {}): KnownOfVolume => ({
  volume: seenVolume(),
  isTopologyInUse: true,
  isOfPool: false,
  pods: [],
  canBePlaced: true,
  isExported: false,
  ...parts,
});

export const aDevice = (state: DeviceStatus['state'], parts: Partial<DeviceStatus> = {}): DeviceStatus => ({
  path: '/dev/sdb',
  volume: 'local-node-1-sdb',
  device: 'wwid:naa.1',
  sizeBytes: 2048,
  size: '2Ki',
  identity: 'naa.1',
  isKnownBySizeOnly: false,
  state,
  stands: state.is,
  ...parts,
});

export const aRow = (health: Health, parts: Partial<VolumeRow> = {}): Shown<VolumeRow> => ({
  row: {
    name: 'a',
    health,
    phase: 'Bound',
    capacityBytes: 1,
    source: 'other',
    createdAt: '2026-01-01T00:00:00Z',
    ...parts,
  },
  needs: [],
  activities: [],
});

/** A cluster in which nothing is. */
export const noParts = (parts: Partial<Seen> = {}): Seen => ({
  volumes: { known: true, value: new Map() },
  nodes: { known: true, value: new Map() },
  pools: { known: true, value: new Map() },
  syncs: { known: true, value: new Map() },
  others: [],
  blind: [],
  isTopologyInUse: false,
  reportsIn: { known: true, value: new Set() },
  ...parts,
});

/** What tests build on: a volume of 1 GiB, the node that it is on, and how both look when it is ready. */
import type { Declared } from './decide.ts';
import type { LogicalVolume, VolumeGroup } from './facts.ts';
import type { NodeReport } from './node-report.ts';
import type { VolumeOptions } from './options.ts';
import type { Mapping, Sight } from './sight.ts';
import type { Decision } from './steps.ts';
import type { Owner } from './tags.ts';

export const GIB = 2n ** 30n;
export const MIB = 2n ** 20n;

const PATH = '/mnt/pv/data';
export const UID = 'uid-1';
const LV_DEVICE = '253:3';
export const MAPPED_DEVICE = '253:4';

export const options = (changes: Partial<VolumeOptions> = {}): VolumeOptions => ({
  fsType: 'ext4',
  fsArgs: [],
  mountOpts: ['noexec'],
  vg: 'storage_bulk',
  autoRelease: false,
  shred: 'none',
  removePolicy: 'delete',
  ...changes,
});

export const declared = ({
  options: changes,
  ...rest
}: Partial<Omit<Declared, 'options'>> & { readonly options?: Partial<VolumeOptions> } = {}): Declared => ({
  name: 'data',
  uid: UID,
  path: PATH,
  bytes: GIB,
  options: options(changes),
  inForce: {},
  wasProcessed: false,
  ...rest,
});

export const lv = (changes: Partial<LogicalVolume> = {}): LogicalVolume => ({
  name: 'data',
  group: 'storage_bulk',
  uuid: 'lv-uuid-1',
  kind: 'plain',
  sizeBytes: GIB,
  tags: [],
  isActive: true,
  device: LV_DEVICE,
  isReadOnly: false,
  isSuspended: false,
  isLost: false,
  health: '',
  ...changes,
});

export const group = (
  changes: Partial<Omit<VolumeGroup, 'volumes'>> = {},
  ...volumes: LogicalVolume[]
): VolumeGroup => ({
  name: 'storage_bulk',
  uuid: 'vg-uuid-1',
  sizeBytes: 100n * GIB,
  freeBytes: 50n * GIB,
  extentBytes: 4n * MIB,
  missingDisks: 0,
  obstacles: [],
  volumes: new Map(volumes.map((each) => [each.name, each])),
  ...changes,
});

export const owner = (changes: Partial<Owner> = {}): Owner => ({
  uid: UID,
  pv: 'data',
  cluster: 'cluster-1',
  state: 'ready',
  options: { fsType: 'ext4' },
  fsBytes: GIB,
  ...changes,
});

export const mount = (changes: Partial<Sight['atPath'][number]> = {}): Sight['atPath'][number] => ({
  id: 30,
  parentId: 1,
  device: LV_DEVICE,
  root: '/',
  mountPoint: PATH,
  options: ['rw', 'noexec'],
  propagation: [],
  fsType: 'ext4',
  source: '/dev/mapper/storage_bulk-data',
  superOptions: ['rw'],
  ...changes,
});

export const mapping = (changes: Partial<Mapping> = {}): Mapping => ({
  name: `holdfast-${UID}`,
  device: MAPPED_DEVICE,
  over: [LV_DEVICE],
  ...changes,
});

/** A node on which there is nothing for the volume yet. */
export const bare = (changes: Partial<Sight> = {}): Sight => ({
  group: group(),
  strays: [],
  atPath: [],
  ofDevice: [],
  snapshots: [],
  ...changes,
});

/** The same when it is ready. */
export const complete = (changes: Partial<Sight> = {}): Sight => {
  const volume = changes.lv ?? lv();
  return bare({
    group: group({}, volume),
    lv: volume,
    owner: owner(),
    atPath: [mount()],
    ofDevice: [mount()],
    ...changes,
  });
};

/** The kind of the step, or the fact of the refusal. */
export function said(decision: Decision): string {
  if (decision.kind === 'step') return decision.step.kind;
  return decision.kind === 'refuse' ? decision.fact : decision.kind;
}

/** Of an agent that has nothing to tell. */
export const aNodeReport = (parts: Partial<NodeReport> = {}): NodeReport => ({
  node: 'node-1',
  at: '2026-01-01T00:00:00.000Z',
  version: '0.1.0',
  unseen: [],
  groups: [],
  volumes: [],
  leftOut: 0,
  ...parts,
});

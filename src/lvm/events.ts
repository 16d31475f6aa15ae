/** What people are told in Events: on the volume that it is about, or on the Node. */
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { referenceTo } from '../kit/observe/reference.ts';
import type { PoolWarning } from './pool-levels.ts';
import type { Volume } from './volume.ts';

export type About = Pick<Volume, 'name' | 'uid'>;

const regarding = ({ name, uid }: About) => referenceTo(PERSISTENT_VOLUMES, { metadata: { name, uid } });

/** Of what is no refusal. Each is explained in explanations.ts, as the refusals are. */
export type EventReason =
  | 'VolumeFailed'
  | 'VolumeOptionIgnored'
  | 'VolumeReady'
  | 'VolumeReleased'
  | 'VolumeRemoved'
  | 'ThinPoolNearlyFull'
  | 'ThinPoolMetadataNearlyFull'
  | 'ThinPoolOvercommitted'
  | 'VolumeOrphans'
  | 'VolumeTrashEmptied';

type Told = Occurrence<EventReason>;

/** `groupIsFull` becomes `VolumeGroupIsFull`: reasons are searched for by machines. */
export const reasonOf = (fact: string): string => `Volume${fact.charAt(0).toUpperCase()}${fact.slice(1)}`;

export const refused = (volume: About, fact: string, why: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Warning',
  reason: reasonOf(fact),
  action: 'Provision',
  note: `${why}`,
});

export const failed = (volume: About, why: string): Told => ({
  regarding: regarding(volume),
  type: 'Warning',
  reason: 'VolumeFailed',
  action: 'Provision',
  note: `${why}. It is tried again`,
});

export const warned = (volume: About, warning: string): Told => ({
  regarding: regarding(volume),
  type: 'Warning',
  reason: 'VolumeOptionIgnored',
  action: 'Provision',
  note: warning,
});

export const ready = (volume: About, path: string, node: string): Told => ({
  regarding: regarding(volume),
  type: 'Normal',
  reason: 'VolumeReady',
  action: 'Provision',
  note: `The volume is mounted at ${path} on ${node}`,
});

export const released = (volume: About, claim: string): Told => ({
  regarding: regarding(volume),
  type: 'Normal',
  reason: 'VolumeReleased',
  action: 'Release',
  note: `Its claim ${claim} is gone, and its annotation autoRelease says that others may have it with what is on it`,
});

/** With the mount point, if that is left. */
export const removed = (volume: About, node: string, left?: string): Told => ({
  regarding: regarding(volume),
  type: 'Normal',
  reason: 'VolumeRemoved',
  action: 'Remove',
  note: `Everything of it is gone from ${node}${left === undefined ? '' : `, but ${left}: there are files in it that were not on the volume`}`,
});

const POOL_REASONS = {
  data: 'ThinPoolNearlyFull',
  metadata: 'ThinPoolMetadataNearlyFull',
  promised: 'ThinPoolOvercommitted',
} as const;

export const poolIsFilling = ({ name, uid }: About, { measure, pool, percent, isClosed }: PoolWarning): Told => ({
  regarding: referenceTo(NODES, { metadata: { name, uid } }),
  type: 'Warning',
  reason: POOL_REASONS[measure],
  action: 'Provision',
  note: `${filling(pool, measure, Math.floor(percent))}${isClosed ? ': nothing new is made in it' : ''}. ${HOW_TO_MEND[measure]}`,
});

const filling = (pool: string, measure: PoolWarning['measure'], percent: number): string =>
  measure === 'promised'
    ? `The volumes of the thin pool ${pool} are promised ${percent} % of its size`
    : `The ${measure} of the thin pool ${pool} are ${percent} % full, and a full pool loses what is written to it`;

const HOW_TO_MEND = {
  data: 'Extend it with lvextend, or remove volumes from it',
  metadata: 'Extend them with lvextend --poolmetadatasize, or remove volumes from the pool',
  promised: 'Extend it with lvextend before they use it up, or remove volumes from it',
} as const;

const onNode = ({ name, uid }: About) => referenceTo(NODES, { metadata: { name, uid } });

export const orphansFound = (node: About, found: string): Told => ({
  regarding: onNode(node),
  type: 'Warning',
  reason: 'VolumeOrphans',
  action: 'Check',
  note: `This belongs to no volume, and holdfast lvm clean removes it: ${found}`,
});

export const trashEmptied = (node: About, lv: string): Told => ({
  regarding: onNode(node),
  type: 'Normal',
  reason: 'VolumeTrashEmptied',
  action: 'Remove',
  note: `${lv} was in the trash for long enough, and is gone`,
});

/** What people are told in Events, each on the volume that it is about. */
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { referenceTo } from '../kit/observe/reference.ts';
import type { Volume } from './volume.ts';

type About = Pick<Volume, 'name' | 'uid'>;

const regarding = ({ name, uid }: About) => referenceTo(PERSISTENT_VOLUMES, { metadata: { name, uid } });

/** `groupIsFull` becomes `VolumeGroupIsFull`: reasons are searched for by machines. */
const reasonOf = (fact: string): string => `Volume${fact.charAt(0).toUpperCase()}${fact.slice(1)}`;

export const refused = (volume: About, fact: string, why: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Warning',
  reason: reasonOf(fact),
  action: 'Provision',
  note: `${why}`,
});

export const failed = (volume: About, why: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Warning',
  reason: 'VolumeFailed',
  action: 'Provision',
  note: `${why}. It is tried again`,
});

export const warned = (volume: About, warning: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Warning',
  reason: 'VolumeOptionIgnored',
  action: 'Provision',
  note: warning,
});

export const ready = (volume: About, path: string, node: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Normal',
  reason: 'VolumeReady',
  action: 'Provision',
  note: `The volume is mounted at ${path} on ${node}`,
});

export const released = (volume: About, claim: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Normal',
  reason: 'VolumeReleased',
  action: 'Release',
  note: `Its claim ${claim} is gone, and its annotation autoRelease says that others may have it with what is on it`,
});

export const removed = (volume: About, node: string): Occurrence => ({
  regarding: regarding(volume),
  type: 'Normal',
  reason: 'VolumeRemoved',
  action: 'Remove',
  note: `Everything of it is gone from ${node}`,
});

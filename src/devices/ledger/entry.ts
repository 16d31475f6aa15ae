/** What is remembered about one device, whatever becomes of the API. */
import type { WipeMethod } from '../contract.ts';
import type { Identity } from '../identity.ts';

export interface LedgerEntry extends Sighting {
  /** The volume that it was last handed out as. */
  readonly volume?: HandedOut;
  /** A wipe that has begun. Whatever was on the device is at least partly gone. */
  readonly wipe?: WipeRecord;
  /** It is wiped, and nobody has had it since. */
  readonly clean?: Clean;
}

/** Which device was found, and where and when. */
export interface Sighting {
  readonly identity: Identity;
  readonly path: string;
  /** In which boot of the machine, and as the how many-th disk of that. */
  readonly boot: string;
  readonly diskSequence?: string;
}

export interface HandedOut {
  readonly name: string;
  /** Empty while it is being made: its name is known, and its uid is not. */
  readonly uid: string;
  /** As it was last seen. */
  readonly phase: string;
  /** The uid of the claim that it was bound to when it was last seen. */
  readonly claim?: string;
  readonly resourceVersion: string;
  /** The uid of the namespace kube-system, which stands for that of the cluster. */
  readonly cluster: string;
}

/** Without the right to know which cluster it is, all are taken for one. */
export const isSameCluster = (one: string, other: string): boolean => one === '' || other === '' || one === other;

export interface WipeRecord {
  readonly method: WipeMethod;
  /** What `random-all` writes is made of this, so that it can be checked, and gone on with. */
  readonly seed?: string;
  readonly startedAt: string;
  /** Of all that is to be written, in order. They are on the device. */
  readonly doneBytes: number;
}

export interface Clean {
  readonly receipt: Receipt;
  /** It is believed only in the same boot and for the same insertion of the disk: who knows what happened to it since. */
  readonly boot: string;
  readonly diskSequence?: string;
}

/** Stands on the next volume. */
export interface Receipt {
  readonly method: WipeMethod;
  /** How many bytes of the device are other than before: written, or discarded. */
  readonly bytes: number;
  /** How many of them were written. What was only discarded is left to the device, and is not read back. */
  readonly writtenBytes: number;
  readonly seconds: number;
  /** How much of what was written was read back, and found to be as it should be. */
  readonly verified: 'sample' | 'all';
  readonly verifiedBytes: number;
  readonly at: string;
}

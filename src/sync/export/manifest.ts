/**
 * What is written beside an export, and makes it one that can be believed: a manifest for each, chained by hashes, and one pointer
 * to the newest, which moves by conditional writes only. An export counts when a pointer or the chain behind it names it.
 */
import type { Compression, Encryption } from '../contract.ts';

export const SCHEMA_VERSION = 1;

/** Who may write: the cluster that the pointer names, under its epoch. A failover raises the epoch, and whoever wrote before gets a 412. */
export interface Writer {
  /** Of the namespace `kube-system`: it is never made anew. */
  readonly clusterUid: string;
  readonly epoch: number;
}

export interface Counts {
  readonly storageClasses: number;
  readonly volumes: number;
  readonly claims: number;
}

export interface Manifest extends Writer {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly cluster: string;
  /** Goes up with each export, and goes on when the epoch is raised. One that is left out was of an export that was never finished. */
  readonly sequence: number;
  readonly createdAt: string;
  readonly export: ExportRecord;
  readonly counts: Counts;
  /** The manifest before; null for the first. */
  readonly previous: ManifestReference | null;
}

export interface ExportRecord extends Content {
  readonly key: string;
  /** Of the document before it was compressed and encrypted: tells whether anything has changed since. */
  readonly plain: Content;
  readonly compression: Compression;
  readonly encryption: Encryption;
  /** Of the key that it is encrypted with; null when it is not. */
  readonly keyId: string | null;
}

export interface Content {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Pointer extends Writer {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly cluster: string;
  /** Of the newest manifest; null when a cluster has taken over and exported nothing yet, or has only just begun. */
  readonly newest: ManifestReference | null;
  /** When it was last known that nothing has changed since the newest export. */
  readonly confirmedAt: string;
}

export interface ManifestReference {
  readonly key: string;
  /** Of its bytes as they are stored. */
  readonly sha256: string;
  readonly sequence: number;
}

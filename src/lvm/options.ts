/** What is asked of one volume, after everything in it has been checked: nothing in here can surprise a command. */
import type { FileSystem, RemovePolicy, ShredMethod } from './contract.ts';

export interface VolumeOptions {
  readonly fsType: FileSystem;
  /** Arguments for mkfs, each one checked against what this filesystem allows. */
  readonly fsArgs: readonly string[];
  /** For mount, each one checked, without duplicates. */
  readonly mountOpts: readonly string[];
  /** Its volume group. */
  readonly vg: string;
  readonly thin?: ThinOptions | undefined;
  /** The Secret with the key that the volume is encrypted with. */
  readonly crypt?: SecretName | undefined;
  readonly autoRelease: boolean;
  readonly shred: ShredMethod;
  readonly removePolicy: RemovePolicy;
  /** The volume that this is a read-only snapshot of. */
  readonly snapshotOf?: string | undefined;
}

export interface ThinOptions {
  readonly pool: string;
  /** To make the pool with, when it is not there. */
  readonly poolBytes?: bigint | undefined;
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

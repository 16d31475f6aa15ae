/** Who asks, and for what. */
import type { Kind } from '../kinds/kind.ts';

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** May do everything. */
export const ADMIN: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** A collection, or one object of it. */
export interface Target {
  readonly kind: Kind;
  /** Nothing for what has none, and for a collection over all. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export interface WriteRequest {
  readonly user: User;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Of an apply. */
  readonly force?: boolean;
  /** What is sent has come of a patch. */
  readonly patch?: 'plain' | 'strategic';
  /** The uid that the object has to have which is replaced. */
  readonly replaces?: string;
  /** The door that it came through, where what policies see is not the object itself. */
  readonly through?: 'scale';
  /** For those who say no field manager. */
  readonly userAgent?: string;
  /** Takes what the answer should warn of. */
  readonly warn?: (warning: string) => void;
}

export interface DeleteRequest extends WriteRequest {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
}

export const keyOf = ({ namespace, name = '' }: Target): string => (namespace ? `${namespace}/${name}` : name);

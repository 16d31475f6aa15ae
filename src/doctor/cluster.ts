/** What the doctor has seen of a cluster. Each part is known, or it is known why it is not. */
import type { Node } from '../api/nodes.ts';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { Heartbeat } from '../kit/clock/skew.ts';
import type { Known } from '../kit/known.ts';
import type { KubeObject, ObjectMeta } from '../kit/kube/resource.ts';
import type { Lease } from '../kit/lead/lease.ts';
import type { Access, Verb } from '../kit/manifests/controller-spec.ts';
import type { Installed, Writer } from './writers.ts';

export interface Cluster {
  /** By the clock here. */
  readonly now: Date;
  /** Of the program that looks. */
  readonly version: string;
  readonly server: Known<string>;
  readonly clock: Known<Heartbeat>;
  readonly nodes: Known<readonly Node[]>;
  readonly volumes: Known<readonly PersistentVolume[]>;
  readonly reports: Known<readonly Report[]>;
  readonly leases: Known<readonly Lease[]>;
  /** Every Deployment and DaemonSet that does one of our jobs, whoever made it. */
  readonly writers: Known<readonly Writer[]>;
  readonly consoles: Known<readonly Installed[]>;
  /** The kinds that Holdfast adds, by name; nothing for one that is not there. */
  readonly kinds: Known<ReadonlyMap<string, Definition>>;
  readonly policies: Known<readonly Policy[]>;
  readonly bindings: Known<readonly Policy[]>;
  /** Of each of our writers and consoles, by `keyOf`. */
  readonly rights: ReadonlyMap<string, Known<readonly Right[]>>;
  /** The names of all PersistentVolumeSyncs. */
  readonly syncs: Known<readonly string[]>;
}

/** What the agent of a node has written, as far as every report says it. */
export interface Report {
  readonly metadata: ObjectMeta;
  readonly job: string;
  readonly node: string;
  readonly at: string;
  readonly version: string;
}

export interface Definition extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly storedVersions?: readonly string[];
  };
}

export interface Policy extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly typeChecking?: { readonly expressionWarnings?: readonly { readonly warning: string }[] };
  };
}

/** One right that a controller declares, and whether its account has it. */
export interface Right {
  readonly access: Access;
  readonly verb: Verb;
  readonly namespace?: string | undefined;
  readonly isAllowed: boolean;
}

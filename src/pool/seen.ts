/** What is known about a pool when it is decided about. */
import type { StatefulSet } from '../api/stateful-sets.ts';
import type { Known } from '../kit/known.ts';
import type { AgentStatus } from '../pool-client/protocol.ts';
import type { PvPool } from './contract.ts';

export interface Seen {
  readonly pool: PvPool;
  readonly now: Date;
  /** Objects that have the names of ours and belong to somebody else, as `Service web-srv`. */
  readonly foreign: readonly string[];
  readonly missing: readonly SupportingKind[];
  /** Missing when there is none. */
  readonly set?: StatefulSet;
  /** Whether the StatefulSet should have another template than it has. */
  readonly isTemplateOld: boolean;
  /** One for each ordinal from 0 on, as many as there should be or are. */
  readonly members: readonly Member[];
  /** Every claim that bears a name of this pool, by ordinal; also of those that left. */
  readonly claims: readonly SeenClaim[];
  /** By name; a class that is not here does not exist. */
  readonly classes: ReadonlyMap<string, SeenClass>;
  /** The last order that this process has given to a pod and the agent has taken, by the pod's uid. */
  readonly taken: ReadonlyMap<string, string>;
  /** For how long the autoscaling has wanted the same. */
  readonly pressure?: Pressure;
}

export type SupportingKind = 'Service' | 'Secret' | 'PodDisruptionBudget';

export interface Member {
  readonly ordinal: number;
  readonly name: string;
  readonly pod?: SeenPod;
  /** Why its pod cannot be made, if it is not there and somebody says so. */
  readonly refusal?: string;
  readonly claim?: SeenClaim;
  readonly agent: Known<AgentStatus>;
  /** Whether its listing has no blob. It is asked only of an agent that says that it is Decommissioned. */
  readonly isListedEmpty: Known<boolean>;
}

export interface SeenPod {
  readonly name: string;
  readonly uid: string;
  /** Of the StatefulSet that it belongs to. */
  readonly setUid: string | undefined;
  readonly revision: string | undefined;
  readonly ip: string | undefined;
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  /** Why it is not ready, as far as it says so. */
  readonly why: string | undefined;
}

export interface SeenClaim {
  readonly name: string;
  readonly ordinal: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly object[];
  readonly isOwnedBy: readonly string[];
  /** Whether its label says that it is of this pool. */
  readonly label: 'ours' | 'none' | 'another';
  readonly isDeleting: boolean;
  readonly isBound: boolean;
  readonly className: string | undefined;
  readonly requestedBytes: bigint;
  readonly capacityBytes: bigint;
  /** The volume has grown; the filesystem follows when a node has it mounted. */
  readonly isFilesystemPending: boolean;
  readonly resizeFault: string | undefined;
}

export interface SeenClass {
  readonly canExpand: boolean;
}

export interface Pressure {
  readonly towards: 'up' | 'down';
  readonly forMs: number;
}

export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

/** Those that the StatefulSet should have. */
export const presentMembers = (seen: Seen): readonly Member[] =>
  seen.members.slice(0, seen.set ? replicasOf(seen.set) : 0);

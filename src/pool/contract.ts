/** What others rely on: the kind, names, labels and annotations of a pool, and the fields of its spec and status. */

import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import type { AgentState } from '../pool-client/protocol.ts';

export const PV_POOLS: Resource<PvPool> = {
  group: 'pvpool.noobaa.com',
  version: 'v1',
  plural: 'pvpools',
  kind: 'PvPool',
  namespaced: true,
};

/** On everything that belongs to a pool, with the pool's name: pods, claims, and what else is made. */
export const POOL_LABEL = 'pv-pool';
/** Of the pods and claims of a StatefulSet, by its controller. */
export const REVISION_LABEL = 'controller-revision-hash';

/** On a PvPool: gives a scale down up that runs. The operator takes it away when that is done. */
export const CANCEL_ANNOTATION = 'holdfast.dev/cancel-scale-down';
/** On a StatefulSet of ours: which template was written last. One without it was made by the original, and keeps its template until the image changes. */
export const TEMPLATE_ANNOTATION = 'holdfast.dev/template';

export const CONTAINER = 'storage-agent';
export const PORT_NAME = 'storage-agent-api';
export const CLAIM_TEMPLATE = 'vol';
export const DATA_PATH = '/data';
/** The key of the token in its Secret, and the name of its file in the container. */
export const TOKEN_KEY = 'token';
export const TOKEN_DIRECTORY = '/var/run/secrets/holdfast.dev/pool';

/** Requests and limits of the original. */
export const DEFAULT_CPU = '100m';
export const DEFAULT_MEMORY = '100M';
/** Whom the restricted security context runs the agent as. */
export const RESTRICTED_USER = 65_532;

export const MOST_PVS = 1_000;
export const LARGEST_PV_GB = 65_536;

/** The field manager of our writes. */
export const FIELD_MANAGER = 'holdfast-pool';
/** Whom people see as the reporter of our Events. */
export const REPORTER = 'holdfast.dev/pool';

export const SECURITY_CONTEXTS = ['Restricted', 'Image'] as const;
export const RETENTIONS = ['Retain', 'Delete'] as const;
export const PHASES = ['ScalingUp', 'ScalingDown', 'Ready', 'Unknown'] as const;
export const CONDITIONS = ['Ready', 'Progressing', 'Degraded'] as const;

export const DEFAULT_TARGET_USED_PERCENT = 70;
export const DEFAULT_TOLERANCE_PERCENT = 10;
export const DEFAULT_SCALE_UP_AFTER_SECONDS = 60;
export const DEFAULT_SCALE_DOWN_AFTER_SECONDS = 600;

export interface PvPool extends KubeObject {
  readonly spec: PvPoolSpec;
  readonly status?: PvPoolStatus;
}

/** The first four are those of the original. */
export interface PvPoolSpec {
  readonly image: string;
  readonly numPVs: number;
  readonly pvSizeGB: number;
  readonly storageClass?: string;
  /** For the container; our own image needs `[storage-agent]`. */
  readonly args?: readonly string[];
  readonly resources?: PodResources;
  /** `Restricted` is the default for a StatefulSet that is made anew, `Image` for one that is there. */
  readonly securityContext?: (typeof SECURITY_CONTEXTS)[number];
  readonly claims?: { readonly whenScaled?: Retention; readonly whenDeleted?: Retention };
  readonly autoscaling?: Autoscaling;
  readonly drain?: {
    /** Bytes in a second that one agent sends while it drains, as a quantity: `50Mi`. It gets there as `--drain-bandwidth` in HOLDFAST_DRAIN_BANDWIDTH. */
    readonly bandwidth?: string;
  };
}

export type Retention = (typeof RETENTIONS)[number];

export interface PodResources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** With it `numPVs` is only where the pool starts; the present number is in `status.autoscaling.desiredPVs`. */
export interface Autoscaling {
  readonly minPVs: number;
  readonly maxPVs: number;
  /** The pool grows when more than this is used. */
  readonly targetUsedPercent?: number;
  /** It shrinks only if with one PV less it would still be so far below the target. */
  readonly tolerancePercent?: number;
  readonly scaleUpAfterSeconds?: number;
  readonly scaleDownAfterSeconds?: number;
}

/** The first four are those of the original. */
export interface PvPoolStatus {
  readonly phase?: Phase;
  readonly podsInfo?: readonly PodInfo[];
  readonly countByState?: Readonly<Partial<Record<AgentState, number>>>;
  readonly usedPercentage?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly replicas?: number;
  readonly readyReplicas?: number;
  /** Of its pods, as the scale subresource wants it. */
  readonly selector?: string;
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  readonly forecast?: { readonly timeToFull: string };
  readonly operation?: Operation;
  /** The highest generation of an order that was given to an agent. */
  readonly lastGeneration?: number;
  /** The generation of the spec whose scale down a person gave up: it is not tried again until the spec changes. */
  readonly cancelledGeneration?: number;
  readonly autoscaling?: AutoscalingStatus;
}

export type Phase = (typeof PHASES)[number];

export interface PodInfo {
  readonly podName: string;
  readonly podStatus: AgentState;
  /** Of its disk, as far as it is known. */
  readonly capacityBytes?: number;
  readonly usedBytes?: number;
  /** How far it is with handing over what it has. */
  readonly drain?: DrainInfo;
}

export interface DrainInfo {
  readonly since: string;
  readonly movedBytes: number;
  readonly leftBytes: number;
}

export interface Condition {
  readonly type: (typeof CONDITIONS)[number];
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

/** A scale down that runs. It is written down before the first agent is told, and says to whom an answer must belong to count. */
export interface Operation {
  readonly kind: 'ScaleDown';
  /** Of the orders. */
  readonly generation: number;
  readonly from: number;
  readonly to: number;
  readonly since: string;
  readonly members: readonly OperationMember[];
  /** All members were seen empty: it is only the replicas that are left to be lowered. Their claims may go only if this was written. */
  readonly drained?: boolean;
  /** It was given up: the members are told to go on. */
  readonly cancelling?: boolean;
  /** For people: `draining pool-sts-3: 41 of 120 GiB, 2 min left`. */
  readonly progress?: string;
}

export interface OperationMember {
  readonly name: string;
  readonly podUid: string;
  readonly claimUid: string;
  /** It has said how many blobs it holds, as the original's cannot: from then on its word alone does not do. */
  readonly countsBlobs?: true;
  /** Its claim is another one than when it began: what had not moved by then is gone. */
  readonly claimReplaced?: true;
}

export interface AutoscalingStatus {
  readonly desiredPVs: number;
  readonly lastScaleTime?: string;
}

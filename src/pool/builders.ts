/** For tests: what is seen of a pool, as short as it can be told. */
import type { AgentStatus } from '../pool-client/protocol.ts';
import type { Operation, PvPool, PvPoolSpec, PvPoolStatus } from './contract.ts';
import { claimNameOf, podNameOf } from './names.ts';
import type { Member, Seen, SeenClaim, SeenPod } from './seen.ts';

export const SET_UID = 'uid-of-set';
const GIB = 2n ** 30n;

export const aPool = (
  spec: Partial<PvPoolSpec> = {},
  status?: PvPoolStatus,
  annotations: Readonly<Record<string, string>> = {},
): PvPool => ({
  metadata: {
    namespace: 'default',
    name: 'data',
    uid: 'uid-of-pool',
    resourceVersion: '7',
    generation: 4,
    annotations,
  },
  spec: { image: 'holdfast:1', numPVs: 3, pvSizeGB: 1, ...spec },
  ...(status && { status }),
});

export const aPod = (ordinal: number, parts: Partial<SeenPod> = {}): SeenPod => ({
  name: podNameOf('data', ordinal),
  uid: `pod-${ordinal}`,
  setUid: SET_UID,
  revision: 'r1',
  ip: `10.0.0.${ordinal}`,
  isReady: true,
  isDeleting: false,
  why: undefined,
  ...parts,
});

export const aClaim = (ordinal: number, parts: Partial<SeenClaim> = {}): SeenClaim => ({
  name: claimNameOf('data', ordinal),
  ordinal,
  uid: `claim-${ordinal}`,
  resourceVersion: '3',
  owners: [],
  isOwnedBy: [],
  label: 'ours',
  isDeleting: false,
  isBound: true,
  className: 'fast',
  requestedBytes: GIB,
  capacityBytes: GIB,
  isFilesystemPending: false,
  resizeFault: undefined,
  ...parts,
});

export const anAgent = (ordinal: number, parts: Partial<AgentStatus> = {}): AgentStatus => ({
  name: podNameOf('data', ordinal),
  total: 1_000,
  used: 100,
  state: 'Ready',
  blobs: 2,
  bytes: 100,
  generation: 0,
  corrupt: 0,
  ...parts,
});

export const SILENT = { known: false, why: 'no answer within 2 s' } as const;

/** One that serves. */
export const aMember = (ordinal: number, agent: Partial<AgentStatus> = {}, parts: Partial<Member> = {}): Member => ({
  ordinal,
  name: podNameOf('data', ordinal),
  pod: aPod(ordinal),
  claim: aClaim(ordinal),
  agent: { known: true, value: anAgent(ordinal, agent) },
  isListedEmpty: { known: false, why: 'it was not asked for its listing' },
  ...parts,
});

/** One that has given all away in the operation of this generation. */
export const aDrainedMember = (ordinal: number, generation: number, parts: Partial<Member> = {}): Member =>
  aMember(
    ordinal,
    { state: 'Decommissioned', blobs: 0, bytes: 0, generation },
    { isListedEmpty: { known: true, value: true }, ...parts },
  );

export const anOperation = (from: number, to: number, parts: Partial<Operation> = {}): Operation => ({
  kind: 'ScaleDown',
  generation: 5,
  from,
  to,
  since: '2026-01-01T00:00:00Z',
  members: Array.from({ length: from - to }, (_, index) => ({
    name: podNameOf('data', to + index),
    podUid: `pod-${to + index}`,
    claimUid: `claim-${to + index}`,
    countsBlobs: true as const,
  })),
  ...parts,
});

/** As it is written down of agents that do not say how many blobs they hold, as those of the original. */
export const notCounting = (operation: Operation): Operation => ({
  ...operation,
  members: operation.members.map(({ countsBlobs: _, ...member }) => member),
});

export interface Scene {
  readonly pool?: PvPool;
  readonly replicas?: number;
  readonly partition?: number;
  readonly members?: readonly Member[];
  readonly parts?: Partial<Seen>;
}

/** A pool of three that is as it should be, but for what is told. */
export function seenOf({ pool = aPool(), replicas = 3, partition = 0, members, parts = {} }: Scene = {}): Seen {
  const all = members ?? Array.from({ length: replicas }, (_, ordinal) => aMember(ordinal));
  return {
    pool,
    now: new Date('2026-01-01T00:10:00Z'),
    foreign: [],
    missing: [],
    set: {
      metadata: { namespace: 'default', name: 'data-sts', uid: SET_UID, resourceVersion: '9', generation: 1 },
      spec: { replicas, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } },
      status: { observedGeneration: 1, updateRevision: 'r1', currentRevision: 'r1' },
    },
    isTemplateOld: false,
    members: all,
    claims: all.flatMap(({ claim }) => claim ?? []),
    classes: new Map([['fast', { canExpand: true }]]),
    taken: new Map(),
    ...parts,
  };
}

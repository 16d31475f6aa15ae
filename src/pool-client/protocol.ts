/**
 * What a storage agent and those who talk to it agree on. The first two paths are those of the original's agents, and all that the
 * operator needs of an image; the rest is what our agent adds.
 */

export const DEFAULT_PORT = 8080;

export const STATUS_PATH = '/status';
export const DECOMMISSION_PATH = '/manage-agent/decommission';
export const RECOMMISSION_PATH = '/manage-agent/recommission';
/** A blob is at `/blobs/` and its key, percent-encoded; `/` in a key may be written as it is. */
export const BLOBS_PATH = '/blobs';
/** What has gone bad and was put aside. What is left of one is at `/quarantine/` and the SHA-256 of its key. */
export const QUARANTINE_PATH = '/quarantine';

/**
 * Every answer of an agent of ours carries its name, percent-encoded. Addresses are given to others when a pod goes: whoever asks for a
 * blob must not take the "not found" of a stranger, or of another agent of the pool, for that of the one that was meant.
 */
export const AGENT_HEADER = 'holdfast-agent';

/** Why a request was not served, for those who asked by HEAD and get no body. */
export const REASON_HEADER = 'holdfast-reason';

export const AGENT_STATES = ['Initializing', 'Ready', 'Unknown', 'Decommissioning', 'Decommissioned'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

/** Bytes of UTF-8. */
export const MAX_KEY_BYTES = 1024;
/** Items of one page of a listing. */
export const MAX_PAGE = 1000;

export interface AgentStatus {
  readonly name: string;
  /** Bytes of the filesystem. */
  readonly total: number;
  readonly used: number;
  readonly state: AgentState;
  /** How many blobs it holds; an agent that does not say so is not one of ours. */
  readonly blobs?: number;
  /** Bytes of these blobs. */
  readonly bytes?: number;
  /** Of the last order that it was given. */
  readonly generation?: number;
  /** Blobs that were put aside since their bytes are no longer what was stored. */
  readonly corrupt?: number;
  readonly drain?: DrainStatus;
}

export interface DrainStatus {
  /** When it began, as RFC 3339. */
  readonly since: string;
  /** What has gone, and what is left. */
  readonly movedBlobs: number;
  readonly movedBytes: number;
  readonly leftBlobs: number;
  readonly leftBytes: number;
  /** Why it does not go on. */
  readonly why?: string;
}

/** The body of an order to decommission. One without a body is an order of the original's operator. */
export interface DecommissionOrder {
  readonly generation: number;
  readonly peers: readonly Peer[];
}

export interface RecommissionOrder {
  readonly generation: number;
}

/** Another agent of the pool. Its name has part in where a blob goes, its address has not. */
export interface Peer {
  readonly name: string;
  readonly url: string;
}

export interface BlobInfo {
  readonly key: string;
  readonly size: number;
  /** Of its bytes, in hexadecimal digits. */
  readonly sha256: string;
}

export interface BlobPage {
  readonly items: readonly BlobInfo[];
  /**
   * Leads to the next page; none on the last one. It is a place in the order of the hashed keys (the SHA-256 of a key, in hexadecimal
   * digits): pages of several agents go on from the same place.
   */
  readonly continue?: string;
}

/** Why a request was not served. */
export const REASONS = [
  'BadKey',
  'BadRequest',
  'Conflict',
  'Corrupt',
  'DigestMismatch',
  'Draining',
  'Exists',
  'Full',
  'Internal',
  'NotFound',
  'Stale',
  'TooLarge',
  'Unauthorized',
] as const;
export type Reason = (typeof REASONS)[number];

export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
  /** Who takes it instead, while this one drains. */
  readonly peers?: readonly Peer[];
}

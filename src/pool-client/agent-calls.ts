/** What can be asked of one agent. The agents of a simulation are asked by the same calls as real ones. */
import type { AgentStatus, BlobInfo, BlobPage, Peer } from './protocol.ts';

/**
 * Each throws `Unreachable` when the agent does not answer, `Refused` when it answers that it will not, and `Untrue` when its answer
 * cannot be.
 */
export interface AgentCalls {
  status(agent: Peer, signal?: AbortSignal): Promise<AgentStatus>;
  /** Nothing when the agent says that it has no such blob. */
  head(agent: Peer, key: string, signal?: AbortSignal): Promise<BlobInfo | undefined>;
  get(agent: Peer, key: string, from?: Resumption, signal?: AbortSignal): Promise<Download | undefined>;
  /** When it resolves, the agent has these bytes on its disk. Throws `Conflict` when it holds other bytes under the key. */
  put(agent: Peer, blob: BlobInfo, body: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<Stored>;
  /** False when there was no such blob; with `ifMatch`, as in the header, also when there is one of other bytes, which stays. */
  remove(agent: Peer, key: string, signal?: AbortSignal, ifMatch?: string): Promise<boolean>;
  list(agent: Peer, page: Page, signal?: AbortSignal): Promise<BlobPage>;
}

/** `same`: it had these bytes already. */
export type Stored = 'made' | 'same';

/** From which byte on, and of which bytes. */
export interface Resumption {
  readonly start: number;
  readonly sha256: string;
}

export interface Download {
  readonly info: BlobInfo;
  /** From the byte that was asked for. What it yields is not checked here: whoever has all of it checks the digest. */
  readonly body: AsyncIterable<Buffer>;
}

export interface Page {
  readonly limit?: number;
  readonly continue?: string;
  readonly prefix?: string;
}

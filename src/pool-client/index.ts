/** `holdfast/pool-client`: blobs of a pool, for programs that store and read them. */
export {
  type CallOptions,
  type FoundBlob,
  PoolClient,
  type PoolClientOptions,
  type ReadBlob,
  type StoredBlob,
} from './client.ts';
export { Conflict, Corrupt, NotTaken, Refused, Unknown, Unreachable, Untrue } from './errors.ts';
export type { AgentState, AgentStatus, BlobInfo, DrainStatus, Peer } from './protocol.ts';
export { type BlobSource, bytesSource, fileSource } from './source.ts';

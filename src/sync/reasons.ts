/** Every word that is the reason of a condition or an Event of this job. Each is explained in explanations.ts. */
import type { DisbeliefFact } from './recover/found.ts';
import type { Fact as RefusalFact } from './recover/refusals.ts';

/** Of the store and the cluster. */
export type PlaceReason =
  | 'StoreIsUnavailable'
  | 'StoreDeniesAccess'
  | 'BucketIsMissing'
  | 'StoreHasChanged'
  | 'ObjectIsTooLarge'
  | 'AnswerIsIncomplete'
  | 'StoreIsUnsuitable'
  | 'EnvironmentIsIncomplete'
  | 'ClusterRefuses'
  | 'ClusterDoesNotAnswer';

/** Of how a run ended. */
export type EndingReason =
  | 'AnotherResourceIsOlder'
  | 'CachesAreIncomplete'
  | 'AnotherClusterTookOver'
  | 'ExportsAreAnothers'
  | 'OldExportsStay'
  | 'Exported'
  | 'IsTheWriter'
  | 'WaitingForExport'
  | 'NoExportYet'
  | 'FailoverUnderWay'
  | 'DryRun'
  | 'InSync'
  | 'MassDeletion'
  | 'WriteFailed';

/** Of Events only. */
export type EventReason = 'Restored' | 'Released' | 'Recovered';

export type Reason = PlaceReason | EndingReason | Capitalize<RefusalFact | DisbeliefFact>;

/** What the recorder of Events tells those who count. */
export interface EventMetrics {
  written(verb: 'create' | 'patch'): void;
  /** A repetition was added to the count of an earlier Event. */
  folded(): void;
  dropped(reason: DropReason): void;
}

export const DROP_REASONS = [
  /** Too many different Events about one object. */
  'rate',
  /** More wait to be written than is kept in memory. */
  'queue_full',
  /** We have no right to write Events there. */
  'forbidden',
  /** The namespace is being removed, or is gone. */
  'namespace_gone',
  /** The server took it for invalid. */
  'rejected',
  /** The server could not be reached for too long. */
  'unreachable',
  /** We no longer lead, and so write nothing. */
  'not_leading',
  /** The process ended before they were written. */
  'shutdown',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

export const uncounted: EventMetrics = { written() {}, folded() {}, dropped() {} };

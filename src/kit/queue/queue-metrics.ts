/** What a queue tells those who count. Implemented by `observe`, under the names that dashboards know. */
export interface QueueMetrics {
  added(): void;
  /** A key is to be added after a delay: after a failure, or because it asked to be looked at later. */
  retried(): void;
  /** A key waited this long before its work began. */
  waited(seconds: number): void;
  worked(seconds: number): void;
  /** Asked whenever somebody looks. */
  probe(look: () => QueueLook): void;
}

export interface QueueLook {
  readonly depth: number;
  /** The running keys' time so far, added up. */
  readonly unfinishedSeconds: number;
  readonly longestRunningSeconds: number;
}

export const uncounted: QueueMetrics = { added() {}, retried() {}, waited() {}, worked() {}, probe() {} };

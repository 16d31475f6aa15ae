/** Events, as far as our jobs read what others tell in them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface ToldEvent extends KubeObject {
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string } | null;
  /** Of those who write Events in the former way, as the controllers of Kubernetes do. */
  readonly deprecatedLastTimestamp?: string | null;
}

export const TOLD_EVENTS: Resource<ToldEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};

/** When it was last so; in milliseconds, and 0 if it does not say. */
export function lastTimeOf({ series, deprecatedLastTimestamp, eventTime }: ToldEvent): number {
  return Date.parse(series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? '') || 0;
}

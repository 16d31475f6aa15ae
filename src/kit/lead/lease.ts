/** The Lease object as leader election uses it, and the decision who may take it. Pure. */
import type { KubeObject, Resource } from '../kube/resource.ts';

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export const LEASES: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** The lease as it was last seen to change, and when that was on our own clock: the holder's clock is never read. */
export interface Observation {
  readonly version: string;
  readonly atMs: number;
}

/** Remembers when a lease was first seen in its present version. */
export function observe(before: Observation | undefined, lease: Lease, nowMs: number): Observation {
  const version = `${lease.metadata.uid}/${lease.metadata.resourceVersion}`;
  return before?.version === version ? before : { version, atMs: nowMs };
}

/** When a lease may be taken: at once if it was released or is ours, else when it has not changed for as long as it was promised for. */
export function freeAt(lease: Lease, identity: string, seen: Observation, durationMs: number): number {
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === '' || holder === identity) return seen.atMs;
  return seen.atMs + Math.max(durationMs, (lease.spec?.leaseDurationSeconds ?? 0) * 1000);
}

/** The lease with us as its holder. Each change of holder counts as a transition, also one after a release, as client-go counts. */
export function heldBy(lease: Lease, identity: string, now: Date, durationMs: number): Lease {
  const spec = lease.spec ?? { holderIdentity: identity };
  const ours = spec.holderIdentity === identity;
  const time = microTime(now);
  return {
    ...lease,
    spec: {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: ours ? (spec.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (spec.leaseTransitions ?? 0) + (ours ? 0 : 1),
    },
  };
}

/** The lease with no holder, so that the next one need not wait. */
export const released = (lease: Lease, now: Date): Lease => ({
  ...lease,
  spec: {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    renewTime: microTime(now),
    acquireTime: microTime(now),
  },
});

/** A time with six decimals, the form that the API wants here. */
const microTime = (time: Date): string => `${time.toISOString().slice(0, -1)}000Z`;

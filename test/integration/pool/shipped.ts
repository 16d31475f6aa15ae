/** What is put into a cluster before the operator of pools, as it is shipped, and pools to try it on. */
import type { PvPool, PvPoolSpec } from '../../../src/pool/contract.ts';
import type { ControlPlane } from '../../harness/control-plane.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { addKind } from '../kinds.ts';

export const poolsIn = (namespace: string): string => `/apis/pvpool.noobaa.com/v1/namespaces/${namespace}/pvpools`;
export const setsIn = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/statefulsets`;

/** A pool as the server gives it. */
export type RawPool = RawObject & PvPool & { readonly metadata: RawObject['metadata'] };

/** Makes the kind known, and waits until it is served. */
export const addPools = (plane: ControlPlane): Promise<void> =>
  addKind(plane, 'pvpools.pvpool.noobaa.com', poolsIn('default'));

export const aPool = (name: string, spec: Partial<PvPoolSpec> = {}) => ({
  apiVersion: 'pvpool.noobaa.com/v1',
  kind: 'PvPool',
  metadata: { name },
  spec: { image: 'agents:1', numPVs: 3, pvSizeGB: 5, ...spec },
});

/** What is put into a cluster before the operator of pools, as it is shipped, and pools to try it on. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PvPool, PvPoolSpec } from '../../../src/pool/contract.ts';
import type { ControlPlane } from '../../harness/control-plane.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const FILE = join(import.meta.dirname, '../../../deploy/crds/pvpools.pvpool.noobaa.com.yaml');

export const poolsIn = (namespace: string): string => `/apis/pvpool.noobaa.com/v1/namespaces/${namespace}/pvpools`;
export const setsIn = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/statefulsets`;

/** A pool as the server gives it. */
export type RawPool = RawObject & PvPool & { readonly metadata: RawObject['metadata'] };

/** Makes the kind known, and waits until it is served. */
export async function addPools(plane: ControlPlane): Promise<void> {
  await plane.admin.post(CRDS, parse(await readFile(FILE, 'utf8')));
  await eventually(async () => (await plane.admin.request('GET', poolsIn('default'))).status === 200, {
    for: 'pools to be served',
  });
}

export const aPool = (name: string, spec: Partial<PvPoolSpec> = {}) => ({
  apiVersion: 'pvpool.noobaa.com/v1',
  kind: 'PvPool',
  metadata: { name },
  spec: { image: 'agents:1', numPVs: 3, pvSizeGB: 5, ...spec },
});

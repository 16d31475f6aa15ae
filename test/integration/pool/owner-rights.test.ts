/** A cluster that asks for a right of whoever makes an owner wait for what it owns: the operator has it, and would be refused without. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rolesOf } from '../../../src/kit/manifests/rbac.ts';
import type { PvPool } from '../../../src/pool/contract.ts';
import { serviceOf } from '../../../src/pool/objects/service.ts';
import { poolSpec } from '../../../src/pool/spec.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { createServiceAccount, type PolicyRule } from '../../harness/users.ts';
import { addPools, aPool, poolsIn } from './shipped.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({
    apiServerFlags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
  });
  await addPools(plane);
});
afterAll(() => plane?.[Symbol.asyncDispose]());

const SHIPPED: readonly PolicyRule[] = rolesOf(poolSpec).flatMap(({ rules }) => rules);
const isOfFinalizers = ({ resources }: PolicyRule): boolean => resources?.includes('pvpools/finalizers') ?? false;

async function verdictUnder(name: string, clusterRules: readonly PolicyRule[]): Promise<number> {
  await using account = await createServiceAccount(plane, { name, clusterRules });
  const pool = (await plane.admin.post(poolsIn('default'), aPool(name))) as unknown as PvPool;
  const made = await account.client.request('POST', '/api/v1/namespaces/default/services', serviceOf(pool));
  return made.status;
}

test('a Service of a pool is made under the rights of the operator, and refused without the one to the finalizers of pools', async () => {
  expect(SHIPPED.some(isOfFinalizers)).toBe(true);
  expect(await verdictUnder('with', SHIPPED)).toBe(201);
  expect(
    await verdictUnder(
      'without',
      SHIPPED.filter((rule) => !isOfFinalizers(rule)),
    ),
  ).toBe(403);
});

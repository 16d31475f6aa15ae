/** In the place of pv-pool-operator, with nothing but its rights: nothing is decided, which it says, and the process stays. */
import { expect, test } from 'vitest';
import { startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, startOriginal } from '../../harness/holdfast.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { rightsOfOriginal } from '../original-rights.ts';
import { addPools, aPool, poolsIn, setsIn } from './shipped.ts';

test('it waits for the rights that it lacks, and says which, instead of deciding without them', async () => {
  await using plane = await startControlPlane();
  await addPools(plane);
  await plane.admin.post(poolsIn('default'), aPool('photos'));
  await using account = await createServiceAccount(plane, { name: 'manager', ...rightsOfOriginal('pv-pool-operator') });
  const kubeconfig = await kubeconfigFlag(plane.directory, account, plane);
  await using operator = await startOriginal('manager', plane.directory, kubeconfig, '--health-probe-bind-address=0');
  for (const kind of ['persistentvolumeclaims', 'poddisruptionbudgets', 'storageclasses'])
    await eventually(async () => {
      const waits = operator.logged.filter(({ msg }) => msg === 'not readable: waiting').map(({ why }) => why);
      expect(waits).toContainEqual(expect.stringContaining(kind));
    });
  expect((await operator.page('/metrics')).status).toBe(200);
  expect((await plane.admin.list(setsIn('default'))).items).toEqual([]);
});

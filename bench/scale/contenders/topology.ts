import { DEFAULT_POLICY } from '../../../src/topology/contract.ts';
import { topology } from '../../../src/topology/controller.ts';
import type { Contend } from '../../measure/contender.ts';
import type { Access } from '../../world/access.ts';
import { measured } from '../measured.ts';

const SETTINGS = { policy: DEFAULT_POLICY, selector: '', narrowAfterMs: 30_000, resyncMs: 3_600_000, dryRun: false };

/** Until every volume was labelled. */
const contend: Contend<{ readonly access: Access; readonly size: number }> = async ({ access, size }, meter) => {
  const job = await measured(
    {
      name: 'topology',
      access,
      setUp: (parts) => topology(parts, SETTINGS),
      isDone: async (each) =>
        (await each.counted('rest_client_requests_total', { method: 'PATCH', code: '200' })) >= size,
    },
    meter,
  );
  await job.end();
};

export default contend;

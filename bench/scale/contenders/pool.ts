import { randomBytes } from 'node:crypto';
import type { Agents } from '../../../src/pool/agents.ts';
import { pool } from '../../../src/pool/controller.ts';
import type { Contend } from '../../measure/contender.ts';
import type { Access } from '../../world/access.ts';
import { measured } from '../measured.ts';
import { AGENTS_OF_A_POOL } from '../scenes.ts';

/** They answer at once: what they would take is not the operator's. */
const agents: Agents = {
  status: async ({ name }) => ({
    known: true,
    value: { name, state: 'Ready', total: 2 ** 30, used: 0, blobs: 0 },
  }),
  isEmpty: async () => ({ known: true, value: true }),
  order: async () => ({ known: true, value: 'taken' }),
};

/** Until every pool is ready. */
const contend: Contend<{ readonly access: Access; readonly size: number }> = async ({ access, size }, meter) => {
  const secret = (bytes: number) => randomBytes(bytes).toString('hex');
  const job = await measured(
    {
      name: 'pool',
      access,
      setUp: (parts) => pool(parts, { secret, agents }),
      isDone: async (each) => (await each.counted('holdfast_pool_ready')) >= size / AGENTS_OF_A_POOL,
    },
    meter,
  );
  await job.end();
};

export default contend;

import { ENV } from '../../../src/sync/contract.ts';
import { sync } from '../../../src/sync/controller.ts';
import { keysFrom } from '../../../src/sync/export/keys.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import type { Contend } from '../../measure/contender.ts';
import type { Access } from '../../world/access.ts';
import { measured } from '../measured.ts';

export interface Syncing {
  readonly access: Access;
  readonly size: number;
  readonly directory: string;
  readonly mode: 'Protected' | 'Recovery';
}

/** Until all is exported, or all is restored. The store is a directory. */
const contend: Contend<Syncing> = async ({ access, size, directory, mode }, meter) => {
  const environment = { [ENV.path]: directory };
  const settings = {
    openStore: (provider: string) => openStore(provider, environment),
    keys: () => keysFrom(environment),
  };
  const job = await measured(
    {
      name: 'sync',
      access,
      setUp: (parts) => sync(parts, settings),
      isDone: async (each) =>
        mode === 'Protected'
          ? (await each.counted('holdfast_sync_exports_total')) >= 1
          : (await each.counted('holdfast_sync_written_objects_total', { what: 'created' })) >= 2 * size,
    },
    meter,
  );
  await job.end();
};

export default contend;

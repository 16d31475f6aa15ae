/** The limit of restoring: the very same objects, made ready beforehand, are created by bare POSTs over a number of connections. */

import { onlySync } from '../../../src/commands/sync/site.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { NO_KEYS } from '../../../src/sync/export/keys.ts';
import { lookUp } from '../../../src/sync/recover/look-up.ts';
import type { Creation, RecoveryPlan } from '../../../src/sync/recover/plan.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import type { Contend } from '../../measure/contender.ts';
import { type Access, bareHeaders, barePool, kitConnection } from '../../world/access.ts';
import type { Environment } from '../site.ts';
import { RESTORE } from './restore.ts';

export interface BareRestoring {
  readonly access: Access;
  readonly environment: Environment;
  readonly connections: number;
}

const bareRestoring: Contend<BareRestoring> = async ({ access, environment, connections }, meter) => {
  const { namespaces, create } = await planOf(access, environment);
  const made = create.map((creation) => ({ creation, body: JSON.stringify(creation.make()) }));
  const pool = barePool(access, { connections });
  const headers = { ...bareHeaders(access), 'content-type': 'application/json' };
  await meter.measure(RESTORE, async () => {
    await each(namespaces, (name) => post('/api/v1/namespaces', JSON.stringify({ metadata: { name } })));
    for (const kind of ['PersistentVolume', 'PersistentVolumeClaim'] as const) {
      await each(
        made.filter(({ creation }) => creation.kind === kind),
        ({ creation, body }) => post(collectionOf(creation), body),
      );
    }
  });
  await pool.destroy();

  async function each<T>(items: readonly T[], send: (item: T) => Promise<void>): Promise<void> {
    const left = items.values();
    const sender = async () => {
      for (const item of left) await send(item);
    };
    await Promise.all(Array.from({ length: connections }, sender));
  }

  async function post(path: string, body: string): Promise<void> {
    const answer = await pool.request({ path: `${path}?fieldManager=holdfast-sync`, method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 201) throw new Error(`a POST was answered by ${answer.statusCode}: ${text}`);
    JSON.parse(text);
  }
};

/** What the job would create. */
async function planOf(access: Access, environment: Environment): Promise<RecoveryPlan> {
  const { client, close } = kitConnection(access);
  const { signal } = new AbortController();
  const store = await openStore('s3', environment);
  const sync = await onlySync(client, signal);
  const site = { sync, store, keys: NO_KEYS, clock: systemClock, [Symbol.asyncDispose]: () => store.close() };
  const { plan } = await lookUp(client, site, signal, () => {});
  await Promise.all([close(), store.close()]);
  return plan;
}

function collectionOf({ kind, key }: Creation): string {
  if (kind === 'PersistentVolume') return '/api/v1/persistentvolumes';
  return `/api/v1/namespaces/${key.split('/')[0]}/persistentvolumeclaims`;
}

export default bareRestoring;

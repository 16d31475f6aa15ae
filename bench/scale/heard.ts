/** What an agent of a node takes to hear of what happens on others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../../test/harness/raw-client.ts';
import { eventually } from '../../test/harness/wait.ts';
import type { Meter } from '../measure/meter.ts';
import type { Access } from '../world/access.ts';
import { CHANGED } from './scenes.ts';

/** The phase in which volumes of other nodes change. */
export const HEAR = 'hear';
/** Until the last events are worked off. */
const AFTERWARDS_MS = 2_000;

export async function hear(access: Access, meter: Meter): Promise<void> {
  await using admin = new RawClient(access);
  await meter.measure(HEAR, async () => {
    meter.ready();
    const isSaid = async () =>
      (await admin.request('GET', `/api/v1/namespaces/kube-public/configmaps/${CHANGED}`)).status === 200;
    await eventually(isSaid, { timeout: 600_000, interval: 1_000, for: 'all changes' });
    await sleep(AFTERWARDS_MS);
  });
}

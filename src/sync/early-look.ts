/**
 * What is slow about the first requests of a process is not the store: its SDK has to be loaded, credentials to be found, a connection
 * to be made. All that can be done while the caches are still being read, by asking for what an export begins with.
 */

import type { Clock } from '../kit/clock/clock.ts';
import type { PersistentVolumeSync } from './contract.ts';
import { manifestPrefix, pointerKey } from './export/names.ts';
import { LARGEST_RECORD } from './export/sealed.ts';
import type { OwnCluster } from './own-cluster.ts';
import type { Stores } from './stores.ts';

export interface EarlyLookParts {
  readonly stores: Stores;
  readonly own: OwnCluster;
  readonly clock: Clock;
}

/** It is given up then: nobody waits for it, and it must not keep a process that is to end. */
const PATIENCE_MS = 10_000;

/** Only reads, and answers count for nothing: by the time of an export they are old. Whatever fails will fail again then, and be told. */
export async function lookEarly({ spec }: PersistentVolumeSync, { stores, own, clock }: EarlyLookParts): Promise<void> {
  const giving = new AbortController();
  const cancel = clock.after(PATIENCE_MS, () => giving.abort(new Error('it was only to be early')));
  const { signal } = giving;
  try {
    const store = await stores.of(spec.cloudProvider);
    await Promise.allSettled([
      own.uid(signal),
      store.get(pointerKey(spec.protectedCluster), { signal, most: LARGEST_RECORD }),
      store.list(manifestPrefix(spec.protectedCluster), { signal })[Symbol.asyncIterator]().next(),
    ]);
  } finally {
    cancel();
  }
}

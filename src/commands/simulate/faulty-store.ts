/** An object store as one process of a simulation sees it: every call can fail, be lost, or be the last of the process. */

import { PAUSE_MS } from '../../sandbox/simulate/fault.ts';
import type { Life } from '../../sandbox/simulate/process.ts';
import { failure } from '../../sync/store/failure.ts';
import type { ObjectStore } from '../../sync/store/store.ts';

type Doing = Parameters<typeof failure>[1]['doing'];

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Exports are named after the time, and what is only tried after chance. */
const nameOf = (key: string): string => key.replaceAll(UUID, 'U').replaceAll(/\d{6,}/g, 'N');

export function faultyStore(store: ObjectStore, life: Life): ObjectStore {
  const perform = async <T>(doing: Doing, key: string, act: () => Promise<T>): Promise<T> => {
    const fault = life.strike(`STORE ${doing} ${nameOf(key)}`);
    const failed = () =>
      failure('unavailable', { doing, key, where: store.description }, 'the connection broke, as simulated');
    if (fault === 'crash-before') return dead(life);
    const happens = fault === undefined || ['crash-after', 'lost-reply', 'pause'].includes(fault);
    if (!happens) throw failed();
    const result = await act();
    if (fault === 'crash-after') return dead(life);
    if (fault === 'lost-reply') throw failed();
    if (fault === 'pause') life.pause(PAUSE_MS);
    await life.awake();
    return result;
  };
  return {
    description: store.description,
    get: (key, options) => perform('read', key, () => store.get(key, options)),
    head: (key, options) => perform('look at', key, () => store.head(key, options)),
    put: (key, body, options) => perform('write', key, () => store.put(key, body, options)),
    async *list(prefix, options) {
      yield* await perform('list', prefix, () => Array.fromAsync(store.list(prefix, options)));
    },
    remove: (key, options) => perform('remove', key, () => store.remove(key, options)),
    close: () => store.close(),
  };
}

function dead(life: Life): Promise<never> {
  life.kill();
  return new Promise(() => {});
}

/** An object store as one process of a simulation sees it: every call can fail, be lost, or be the last of the process. */

import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { type CallFault, PAUSE_MS } from '../../sandbox/simulate/fault.ts';
import type { Life } from '../../sandbox/simulate/process.ts';
import { STALLED_MS } from '../../sync/store/calls.ts';
import { type Attempt, failure } from '../../sync/store/failure.ts';
import type { Got, ObjectStore, StoreFault } from '../../sync/store/store.ts';

interface Deed<T> {
  readonly doing: Attempt['doing'];
  /** How its calls are called, if not after what is done. */
  readonly name?: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly act: () => Promise<T>;
  readonly torn?: (result: T) => T;
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Exports are named after the time, and what is only tried after chance. */
const nameOf = (key: string): string => key.replaceAll(UUID, 'U').replaceAll(/\d{6,}/g, 'N');

const FAILURES: Partial<Record<CallFault, StoreFault>> = {
  denied: 'denied',
  'not-found': 'noBucket',
  conflict: 'preconditionFailed',
};

export function faultyStore(store: ObjectStore, life: Life, clock: Clock): ObjectStore {
  const perform = async <T>({ doing, name = doing, key, signal, act, torn }: Deed<T>): Promise<T> => {
    const fault = life.strike(`STORE ${name} ${nameOf(key)}`);
    const failed = (as: StoreFault) => failure(as, { doing, key, where: store.description }, 'as simulated');
    if (fault === 'crash-before') return dead(life);
    if (fault === 'timeout') await sleep(clock, STALLED_MS, signal);
    const happens = fault === undefined || ['crash-after', 'lost-reply', 'pause', 'torn'].includes(fault);
    if (!happens) throw failed(FAILURES[fault] ?? 'unavailable');
    const result = await act();
    if (fault === 'crash-after') return dead(life);
    if (fault === 'lost-reply') throw failed('unavailable');
    if (fault === 'pause') life.pause(PAUSE_MS);
    await life.awake();
    return fault === 'torn' && torn ? torn(result) : result;
  };
  return {
    description: store.description,
    get: (key, options) =>
      perform({ doing: 'read', key, ...options, act: () => store.get(key, options), torn: halfOf }),
    head: (key, options) => perform({ doing: 'look at', key, ...options, act: () => store.head(key, options) }),
    put: (key, body, options) => {
      const name = options.condition ? 'write-if' : 'write';
      return perform({ doing: 'write', name, key, ...options, act: () => store.put(key, body, options) });
    },
    async *list(prefix, options) {
      const act = () => Array.fromAsync(store.list(prefix, options));
      yield* await perform({ doing: 'list', key: prefix, ...options, act });
    },
    remove: (key, options) => perform({ doing: 'remove', key, ...options, act: () => store.remove(key, options) }),
    close: () => store.close(),
  };
}

const halfOf = (got: Got): Got =>
  got.kind === 'found' ? { ...got, body: got.body.subarray(0, got.body.length >> 1) } : got;

function dead(life: Life): Promise<never> {
  life.kill();
  return new Promise(() => {});
}

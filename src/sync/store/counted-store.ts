/** A store whose requests are counted, with what they came to and how long they took. */
import type { Clock } from '../../kit/clock/clock.ts';
import type { SyncMetrics, Verb } from '../metrics.ts';
import { type ObjectStore, StoreError } from './store.ts';

export interface Counting {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly metrics: Pick<SyncMetrics, 'asked'>;
}

export function countedStore(store: ObjectStore, { clock, metrics }: Counting): ObjectStore {
  const since = (began: number): number => (clock.monotonic() - began) / 1000;
  const counted = async <T>(verb: Verb, call: () => Promise<T>, resultOf: (answer: T) => string): Promise<T> => {
    const began = clock.monotonic();
    try {
      const answer = await call();
      metrics.asked(verb, resultOf(answer), since(began));
      return answer;
    } catch (error) {
      metrics.asked(verb, faultOf(error), since(began));
      throw error;
    }
  };
  return {
    description: store.description,
    get: (key, options) =>
      counted(
        'get',
        () => store.get(key, options),
        ({ kind }) => kind,
      ),
    head: (key, options) =>
      counted(
        'head',
        () => store.head(key, options),
        (head) => (head ? 'found' : 'missing'),
      ),
    put: (key, body, options) =>
      counted(
        'put',
        () => store.put(key, body, options),
        () => 'stored',
      ),
    remove: (key, options) =>
      counted(
        'remove',
        () => store.remove(key, options),
        () => 'removed',
      ),
    async *list(prefix, options) {
      const began = clock.monotonic();
      try {
        yield* store.list(prefix, options);
        metrics.asked('list', 'listed', since(began));
      } catch (error) {
        metrics.asked('list', faultOf(error), since(began));
        throw error;
      }
    },
    close: () => store.close(),
  };
}

const faultOf = (error: unknown): string => (error instanceof StoreError ? error.fault : 'failed');

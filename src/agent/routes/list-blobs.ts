/** Pages of what is stored. */
import { MAX_PAGE } from '../../pool-client/protocol.ts';
import type { Store } from '../store.ts';
import { StoreError } from '../store.ts';
import type { Route } from './route.ts';

export function listBlobs(store: Store): Route {
  return async (exchange) => {
    const { query } = exchange;
    const after = query.get('continue');
    const prefix = query.get('prefix');
    const page = await store.list({
      limit: limitIn(query.get('limit')),
      ...(after && { after }),
      ...(prefix && { prefix }),
    });
    exchange.json(200, page);
  };
}

function limitIn(text: string | null): number {
  if (text === null || text === '') return MAX_PAGE;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new StoreError('BadRequest', 'limit must be a whole number above 0');
  return Math.min(MAX_PAGE, Number(text));
}

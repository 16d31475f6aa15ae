/** Pages of what is stored, and of what was put aside. */
import { MAX_PAGE } from '../../pool-client/protocol.ts';
import type { DiskStore } from '../disk-store.ts';
import type { Exchange } from '../exchange.ts';
import { type PageOfBlobs, StoreError } from '../store.ts';
import type { Route } from './route.ts';

export const listBlobs =
  (store: DiskStore): Route =>
  async (exchange) =>
    exchange.json(200, await store.list(pageIn(exchange)));

export const listDamaged =
  (store: DiskStore): Route =>
  async (exchange) =>
    exchange.json(200, await store.damaged(pageIn(exchange)));

function pageIn({ query }: Exchange): PageOfBlobs {
  const after = query.get('continue');
  const prefix = query.get('prefix');
  return { limit: limitIn(query.get('limit')), ...(after && { after }), ...(prefix && { prefix }) };
}

function limitIn(text: string | null): number {
  if (text === null || text === '') return MAX_PAGE;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new StoreError('BadRequest', 'limit must be a whole number above 0');
  return Math.min(MAX_PAGE, Number(text));
}

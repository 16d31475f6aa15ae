/** Gives up what is left here of a blob that has gone bad. What is stored under its key, here or elsewhere, is not touched. */
import { QUARANTINE_PATH } from '../../pool-client/protocol.ts';
import type { DiskStore } from '../disk-store.ts';
import { StoreError } from '../store.ts';
import type { Route } from './route.ts';

export const giveUpBlob =
  (store: DiskStore): Route =>
  async (exchange) => {
    const hash = exchange.path.slice(QUARANTINE_PATH.length + 1);
    if (!(await store.giveUp(hash))) throw new StoreError('NotFound', 'nothing that was put aside has this hash');
    exchange.empty(204);
  };

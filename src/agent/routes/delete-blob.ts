/** Removes a blob: here, and wherever it has gone while the agent drains. */
import type { Agent } from '../agent.ts';
import { keyInPath } from '../keys.ts';
import { StoreError } from '../store.ts';
import type { Route } from './route.ts';

export function deleteBlob(agent: Agent): Route {
  return async (exchange) => {
    const key = keyInPath(exchange.path);
    switch (await agent.remove(key, exchange.gone, exchange.request.headers['if-match'])) {
      case 'removed':
        return exchange.empty(204);
      case 'absent':
        throw new StoreError('NotFound', 'there is no blob of this key here');
      case 'another':
        throw new StoreError('Exists', 'what is stored under this key is not what If-Match says: nothing was removed');
      case 'unknown':
        throw new StoreError(
          'Draining',
          'it is gone here, but not every peer that may have it has answered: ask again',
        );
    }
  };
}

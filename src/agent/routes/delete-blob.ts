/** Removes a blob: here, and wherever it has gone while the agent drains. */
import type { Agent } from '../agent.ts';
import { matches } from '../conditional.ts';
import { keyInPath } from '../keys.ts';
import { StoreError } from '../store.ts';
import type { Route } from './route.ts';

export function deleteBlob(agent: Agent): Route {
  return async (exchange) => {
    const key = keyInPath(exchange.path);
    const wanted = exchange.request.headers['if-match'];
    if (wanted !== undefined) await mustMatch(agent, key, wanted);
    switch (await agent.remove(key, exchange.gone)) {
      case 'removed':
        return exchange.empty(204);
      case 'absent':
        throw new StoreError('NotFound', 'there is no blob of this key here');
      case 'unknown':
        throw new StoreError(
          'Draining',
          'it is gone here, but not every peer that may have it has answered: ask again',
        );
    }
  };
}

/** What is stored under a key never changes, so that a look beforehand is as good as one meanwhile. */
async function mustMatch(agent: Agent, key: string, wanted: string): Promise<void> {
  await using blob = await agent.store.open(key);
  if (!matches(wanted, blob?.info.sha256)) {
    throw new StoreError('Exists', 'what is stored under this key is not what If-Match says: nothing was removed');
  }
}

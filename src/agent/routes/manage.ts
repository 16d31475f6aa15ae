/** Orders, and how the agent stands. */
import type { Agent } from '../agent.ts';
import { decommissionOrder, MOST_ORDER_BYTES, recommissionOrder } from '../orders.ts';
import type { Route } from './route.ts';

export const status =
  (agent: Agent): Route =>
  async (exchange) =>
    exchange.json(200, await agent.status());

export const decommission =
  (agent: Agent): Route =>
  async (exchange) => {
    await agent.decommission(decommissionOrder(await exchange.text(MOST_ORDER_BYTES)));
    exchange.json(200, await agent.status());
  };

export const recommission =
  (agent: Agent): Route =>
  async (exchange) => {
    await agent.recommission(recommissionOrder(await exchange.text(MOST_ORDER_BYTES)));
    exchange.json(200, await agent.status());
  };

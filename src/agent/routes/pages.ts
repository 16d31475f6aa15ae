/** For probes and scrapes. */
import type { Agent } from '../agent.ts';
import type { Route } from './route.ts';

const TEXT = 'text/plain; charset=utf-8';

export const alive: Route = async (exchange) => exchange.page(200, TEXT, 'ok');

/** Blobs can be read and written as soon as it listens; whether it is empty it knows only when all is counted. */
export const ready =
  (agent: Agent): Route =>
  async (exchange) => {
    const isReady = agent.state !== 'Initializing';
    exchange.page(isReady ? 200 : 503, TEXT, isReady ? 'ok' : 'the blobs are still being counted\n');
  };

export interface MetricsPage {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export const metrics =
  (registry: MetricsPage): Route =>
  async (exchange) =>
    exchange.page(200, registry.contentType, await registry.metrics());

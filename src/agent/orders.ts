/** Orders as they come over the wire, taken apart. */
import type { DecommissionOrder, Peer, RecommissionOrder } from '../pool-client/protocol.ts';
import { StoreError } from './store.ts';

/** A thousand agents with long names take a quarter of it. */
export const MOST_ORDER_BYTES = 1024 * 1024;
export const MOST_PEERS = 10_000;

/** Nothing for an empty body, as the original's operator sends it. */
export function decommissionOrder(body: string): DecommissionOrder | undefined {
  if (body.trim() === '') return undefined;
  const { generation, peers } = parsed(body);
  const to = asPeers(peers);
  if (!to) throw refused('its peers must be a list of {"name": …, "url": "http://HOST:PORT"}');
  return { generation: asGeneration(generation), peers: to };
}

export function recommissionOrder(body: string): RecommissionOrder | undefined {
  return body.trim() === '' ? undefined : { generation: asGeneration(parsed(body).generation) };
}

export function asPeers(value: unknown): readonly Peer[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_PEERS) return undefined;
  const peers = value.map(asPeer);
  return peers.every((each) => each !== undefined) ? peers : undefined;
}

function asPeer(value: unknown): Peer | undefined {
  const { name, url } = Object(value) as { name?: unknown; url?: unknown };
  if (typeof name !== 'string' || name === '' || typeof url !== 'string') return undefined;
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? { name, url } : undefined;
}

function asGeneration(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw refused('its generation must be a whole number that is not negative');
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body));
  } catch (cause) {
    throw new StoreError('BadRequest', 'the order is not JSON', { cause });
  }
}

const refused = (why: string): StoreError => new StoreError('BadRequest', `the order cannot be followed: ${why}`);

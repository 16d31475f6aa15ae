/** Counts the HTTP requests that this process sends, as they leave it: those of undici, and those of Node's own client. */
import { subscribe } from 'node:diagnostics_channel';

export interface HttpRequests {
  /** The kit's client of the API server. */
  readonly undici: number;
  /** The SDKs of object stores. */
  readonly node: number;
}

export function countHttpRequests(): () => HttpRequests {
  const sent = { undici: 0, node: 0 };
  subscribe('undici:request:create', () => {
    sent.undici += 1;
  });
  subscribe('http.client.request.start', () => {
    sent.node += 1;
  });
  return () => ({ ...sent });
}

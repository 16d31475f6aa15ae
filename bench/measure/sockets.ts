/** Counts the connections that this process opens, whatever client opens them. */
import { subscribe } from 'node:diagnostics_channel';

export function countSockets(): () => number {
  let opened = 0;
  subscribe('net.client.socket', () => {
    opened += 1;
  });
  return () => opened;
}

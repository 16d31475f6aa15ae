/** From where the cluster is to a client that talks to it. */
import type { Random } from '../backoff.ts';
import type { Clock } from '../clock/clock.ts';
import type { CallRecord } from './caller.ts';
import { KubeClient } from './client.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { type RateLimit, RateLimiter } from './rate-limit.ts';
import { undiciTransport } from './undici-transport.ts';

export interface ConnectOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent?: string;
  readonly connections?: number;
  readonly rateLimit?: RateLimit;
  readonly onCall?: (call: CallRecord) => void;
}

export interface Connection {
  readonly client: KubeClient;
  close(): Promise<void>;
}

export function connect(access: ClusterAccess, options: ConnectOptions): Connection {
  const { clock, random, userAgent, connections, rateLimit, onCall } = options;
  const { server, tls, proxy, authorize } = access;
  const transport = undiciTransport({ server, tls, ...(proxy && { proxy }), ...(connections && { connections }) });
  const client = new KubeClient({
    transport,
    clock,
    random,
    authorize,
    ...(userAgent && { userAgent }),
    ...(rateLimit && { limiter: new RateLimiter(clock, rateLimit) }),
    ...(onCall && { onCall }),
  });
  return { client, close: () => transport.close() };
}

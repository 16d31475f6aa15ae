/** From where the cluster is to a client that talks to it. */
import type { Random } from '../backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { ClusterTime } from '../clock/cluster-time.ts';
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
  /** By the cluster's clock, as far as its answers tell; missing where that is the one here. */
  readonly now?: () => Date;
  close(): Promise<void>;
}

export function connect(access: ClusterAccess, options: ConnectOptions): Required<Connection> {
  const { clock, random, userAgent, connections, rateLimit, onCall } = options;
  const { server, tls, proxy, authorize } = access;
  const transport = undiciTransport({ server, tls, ...(proxy && { proxy }), ...(connections && { connections }) });
  const time = new ClusterTime(clock);
  const client = new KubeClient({
    transport,
    clock,
    random,
    authorize,
    ...(userAgent && { userAgent }),
    ...(rateLimit && { limiter: new RateLimiter(clock, rateLimit) }),
    onCall: (call) => {
      time.heard(call);
      onCall?.(call);
    },
  });
  return { client, now: () => time.now(), close: () => transport.close() };
}

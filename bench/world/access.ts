/** How a contender reaches the API server: bare, through the kit, or through the published client. */
import { Pool } from 'undici';
import { systemClock } from '../../src/kit/clock/clock.ts';
import type { ClusterAccess } from '../../src/kit/kube/cluster-access.ts';
import { type Connection, connect } from '../../src/kit/kube/connect.ts';

/** All that it takes, as it is sent to the contender's process. */
export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface BareOptions {
  readonly connections: number;
  readonly http2?: boolean;
}

/** undici with nothing around it: what any client over HTTP costs at the least. */
export function barePool({ url, ca }: Access, { connections, http2 = false }: BareOptions): Pool {
  return new Pool(url, { connections, allowH2: http2, bodyTimeout: 0, headersTimeout: 0, connect: { ca } });
}

export const bareHeaders = ({ token }: Access): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Bearer ${token}`,
});

export function clusterAccessTo({ url, ca, token }: Access): ClusterAccess {
  const tls = { ca };
  const headers = { authorization: `Bearer ${token}` };
  return {
    server: new URL(url),
    tls: () => tls,
    authorize: () => headers,
    namespace: 'default',
    from: 'the benchmark',
  };
}

export function kitConnection(access: Access, connections?: number): Connection {
  const options = { clock: systemClock, random: Math.random, ...(connections && { connections }) };
  return connect(clusterAccessTo(access), options);
}

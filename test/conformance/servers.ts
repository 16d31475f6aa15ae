/** The two servers that have to agree, both behind the same certificate. */
import { systemClock } from '../../src/kit/clock/clock.ts';
import { undiciTransport } from '../../src/kit/kube/undici-transport.ts';
import { Cluster } from '../../src/sandbox/cluster.ts';
import { listen } from '../../src/sandbox/http.ts';
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import type { Server } from './play.ts';

export interface Servers extends AsyncDisposable {
  readonly sandbox: Server;
  readonly real: Server;
}

/** Who the admin of the real one is. */
const ADMIN = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };

export async function startServers(): Promise<Servers> {
  await using starting = new AsyncDisposableStack();
  const plane = starting.use(await startControlPlane());
  const cluster = new Cluster({ clock: systemClock, random: Math.random });
  const listening = starting.use(await listen(cluster.server, plane.credentials.server, 0, systemClock));
  await forget(plane, cluster);
  const tls = { ca: plane.ca };
  const transportTo = (url: string) =>
    starting.adopt(undiciTransport({ server: new URL(url), tls: () => tls }), (transport) => transport.close());
  const real = { transport: transportTo(plane.url), token: plane.adminToken };
  const sandbox = { transport: transportTo(listening.url), token: cluster.access.tokens.give(ADMIN) };
  const started = starting.move();
  return { real, sandbox, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** A real server still knows from its caches what its store has forgotten, until it is started anew. */
async function forget(plane: ControlPlane, cluster: Cluster): Promise<void> {
  await plane.apiServer.stop();
  await plane.compact();
  await plane.apiServer.start();
  cluster.store.compact();
}

/** The console of the demo: over both clusters, on loopback, with everything allowed that a person may do there. */
import { randomUUID } from 'node:crypto';
import { ACTIONS, Actions } from '../../console/actions.ts';
import { ConsoleCluster } from '../../console/cluster.ts';
import { openDoor } from '../../console/door.ts';
import { ConsoleServer } from '../../console/server.ts';
import { PageFiles } from '../../console/static.ts';
import { buildInfo } from '../../kit/build-info.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { silentLog } from '../../kit/observe/log.ts';
import { NO_KEYS } from '../../sync/export/keys.ts';
import { openStore } from '../../sync/store/open.ts';
import { auditLog } from './audit.ts';
import type { DemoSite } from './site.ts';

export interface DemoConsole extends AsyncDisposable {
  readonly url: string;
}

const LOOPBACK = '127.0.0.1';

export interface DemoConsoleOptions {
  readonly store: string;
  /** Another one where this one is taken. */
  readonly port: number;
  /** What people did there, each a line. */
  readonly audit: (line: string) => void;
}

export async function openConsole(sites: readonly DemoSite[], options: DemoConsoleOptions): Promise<DemoConsole> {
  const { store, port, audit } = options;
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  const clusters = sites.map((site) => {
    const cluster = new ConsoleCluster({
      name: site.name,
      title: site.name,
      client: site.client('console'),
      clock: site.clock,
      random: Math.random,
      log: silentLog,
      instance: randomUUID(),
      store: { open: (provider) => openStore(provider, { OBJECT_STORAGE_PATH: store }), keys: () => NO_KEYS },
    });
    return cluster;
  });
  const running = clusters.map((cluster) => cluster.run(stop.signal));
  stack.defer(async () => {
    stop.abort();
    await Promise.allSettled(running);
  });
  const log = auditLog(audit);
  const actions = stack.use(new Actions({ log, id: randomUUID }));
  const served = {
    version: buildInfo().version,
    clusters,
    door: openDoor('you, in the demo'),
    clock: systemClock,
    log,
    page: new PageFiles(),
    actions,
    allowed: ACTIONS,
    hosts: new Set<string>(),
  };
  const server = stack.use(await listenAt(served, port));
  const owned = stack.move();
  return {
    url: `http://${LOOPBACK}:${server.address.port}/`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function listenAt(options: Parameters<typeof ConsoleServer.open>[0], port: number): Promise<ConsoleServer> {
  try {
    return await ConsoleServer.open(options, { host: LOOPBACK, port });
  } catch (error) {
    if (port === 0 || !(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    return ConsoleServer.open(options, { host: LOOPBACK, port: 0 });
  }
}

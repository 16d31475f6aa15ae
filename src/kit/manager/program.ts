/**
 * A whole process put together: connection, caches, events, metrics, health, election, and the controllers that a job brings.
 * What every job would otherwise wire up by itself, once.
 */
import type { Random } from '../backoff.ts';
import { Caches } from '../cache/caches.ts';
import type { Clock } from '../clock/clock.ts';
import { Controller, type ControllerSettings } from '../controller/controller.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ClusterAccess } from '../kube/cluster-access.ts';
import { type Connection, connect } from '../kube/connect.ts';
import type { RateLimit } from '../kube/rate-limit.ts';
import { Elector } from '../lead/elector.ts';
import { Checks } from '../observe/checks.ts';
import { Endpoints, type Listening } from '../observe/endpoints.ts';
import { Events } from '../observe/events.ts';
import type { Log } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { Manager } from './manager.ts';
import type { Runnable } from './stage.ts';

export interface ProgramOptions {
  /** `topology`, `devices`, …: in the user agent, and in the name of the lease. */
  readonly name: string;
  readonly version: string;
  /** Different for every process that ever lived: the pod's name and something random. */
  readonly instance: string;
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metricsAt?: Listening | undefined;
  readonly healthAt?: Listening | undefined;
  /** Where the lease is. Without it this process takes itself for the only one. */
  readonly election?: { readonly namespace: string } | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** Asks for the views that its controllers need, and makes them. */
  readonly setUp: (parts: ProgramParts) => readonly Runnable[];
}

export interface ProgramParts {
  /** Its writes are refused unless this process leads, where there is an election. */
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
  /** By the cluster's clock, where that is another one: that of a machine may be wrong. */
  readonly clusterNow?: (() => Date) | undefined;
  readonly random: Random;
  controller(settings: ControllerSettings): Controller;
}

/** The last Events of a leader are written before it gives the lease back; nobody waits longer than this for them. */
const EVENTS_MS = 3_000;

/** Runs until `stop` is aborted and all is finished. Rejects with the reason when it could not go on. */
export async function runProgram(options: ProgramOptions, stop: AbortSignal): Promise<void> {
  const { name, version, access, clock, random, rateLimit } = options;
  const metrics = new Metrics();
  metrics.countProcess();
  const connection = connect(access, {
    clock,
    random,
    userAgent: `holdfast-${name}/${version}`,
    onCall: metrics.restClient(access.server.host),
    ...(rateLimit && { rateLimit }),
  });
  await runConnected(options, { connection, metrics }, stop);
}

/** The same with a connection that is there already. It is closed at the end. */
export async function runConnected(
  options: ProgramOptions,
  { connection, metrics }: { readonly connection: Connection; readonly metrics: Metrics },
  stop: AbortSignal,
): Promise<void> {
  const { name, version, access, clock, random, log, instance } = options;
  const controllers: Controller[] = [];
  try {
    const elector = electorOf(options, connection.client, metrics);
    const client = elector ? connection.client.gatedBy(elector.gate) : connection.client;
    const caches = new Caches({ client: connection.client, clock, random, log, metrics: metrics.reflector });
    const events = new Events({ client, clock, random, log, instance, metrics: metrics.events });
    const { now: clusterNow } = connection;
    const watched = { client, caches, events, metrics, log };
    const parts: ProgramParts = { ...watched, clock, clusterNow, random, controller: controllerOf };
    const runnables = options.setUp(parts);
    const checks = new Checks(clock);
    const endpoints = await Endpoints.open({ ...options, checks, metrics });
    const manager = new Manager({
      clock,
      log,
      caches,
      controllers: runnables,
      services: [endpoints, events],
      afterWork: () => events.flush(EVENTS_MS),
      ...(elector && { elector }),
    });
    checks.add('stuck', 'live', () => [...manager.unhealthy(), ...controllers.flatMap((each) => each.stuck())]);
    checks.add('caches', 'ready', () => manager.notReady());
    log.info({ cluster: access.server.host, from: access.from, version }, `holdfast ${name} starts`);
    await manager.run(stop);
    log.info('ended well');
  } finally {
    await connection.close();
  }

  function controllerOf(settings: ControllerSettings): Controller {
    const counting = { metrics: metrics.controller(settings.name), queueMetrics: metrics.queue(settings.name) };
    const controller = new Controller(settings, { clock, random, log, ...counting });
    controllers.push(controller);
    return controller;
  }
}

function electorOf(options: ProgramOptions, client: KubeClient, metrics: Metrics): Elector | undefined {
  const { election, name, instance, clock, random, log } = options;
  if (!election) return undefined;
  const lease = `holdfast-${name}`;
  const { namespace } = election;
  return new Elector({
    client,
    clock,
    random,
    log,
    namespace,
    name: lease,
    identity: instance,
    onLeading: metrics.leader(lease),
  });
}

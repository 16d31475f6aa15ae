/** A whole agent put together: lock, store, orders, drain, scrub and server. */
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { Registry } from 'prom-client';
import type { Random } from '../kit/backoff.ts';
import { aborted } from '../kit/clock/aborted.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { attempt, errorCode } from '../kit/host/file-error.ts';
import { type BindAddress, formatBindAddress } from '../kit/observe/bind-address.ts';
import type { Log } from '../kit/observe/log.ts';
import { AgentClient } from '../pool-client/agent-client.ts';
import { Connections } from '../pool-client/connections.ts';
import { Agent } from './agent.ts';
import { Tokens } from './auth.ts';
import { DiskStore } from './disk-store.ts';
import { Drain } from './drain.ts';
import type { Drained } from './draining.ts';
import { HashingThread } from './hashing-thread.ts';
import { Layout } from './layout.ts';
import { DirectoryLock } from './lock.ts';
import { type AgentMetrics, agentMetrics } from './metrics.ts';
import { resourcesOf } from './routes/routes.ts';
import { scrub } from './scrub.ts';
import { AgentServer } from './server.ts';
import { StateFile } from './state-file.ts';

export interface AgentOptions {
  readonly name: string;
  readonly path: string;
  readonly address: BindAddress;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly tokenFile?: string | undefined;
  readonly openStatus: boolean;
  readonly mostConnections: number;
  readonly mostBytes: number;
  /** In bytes per second; none: as fast as it goes. */
  readonly drainBandwidth?: number | undefined;
  /** None: no scrub. */
  readonly scrub?: { readonly bandwidth: number; readonly pauseMs: number } | undefined;
  /** Whether digests of large blobs are made by a thread of its own. */
  readonly hashesApart?: boolean;
  /** Told where it listens, as soon as it does. */
  readonly onListening?: (address: BindAddress) => void;
}

/** Runs until `stop` is aborted and all is finished. */
export async function runAgent(options: AgentOptions, stop: AbortSignal): Promise<void> {
  const { name, clock, random, log } = options;
  const layout = await usable(options.path);
  await using _ = await DirectoryLock.take(layout, random);
  const tokens = await tokensOf(options);
  using connections = new Connections({ clock, token: async () => tokens?.current() });
  const registry = new Registry();
  const metrics = agentMetrics(registry);
  await using hashing = options.hashesApart ? new HashingThread() : undefined;
  const agent = await agentOf(options, { layout, connections, metrics, hashing });
  await using _store = agent.store;
  await using _drain = { [Symbol.asyncDispose]: () => agent.stop() }; // it runs from the start, also if nothing else comes up
  const { mostBytes } = options;
  const resources = resourcesOf({ agent, layout, mostBytes }, registry);
  const server = await AgentServer.open({ ...options, metrics, resources, tokens });
  log.info({ path: layout.root }, `storage agent ${name} listens on ${formatBindAddress(server.address)}`);
  options.onListening?.(server.address);
  const work = [count(agent.store, log, stop), scrubbed(options, layout, agent.store, metrics, stop)];
  await aborted(stop);
  await Promise.all([server.close(), agent.stop(), ...work]);
  log.info('ended well');
}

async function tokensOf({ tokenFile, clock, log }: AgentOptions): Promise<Tokens | undefined> {
  if (tokenFile !== undefined) return Tokens.open({ path: tokenFile, clock, log });
  log.warn('there is no token file (--token-file): whoever reaches this agent may read, write and delete');
  return undefined;
}

interface AgentParts {
  readonly layout: Layout;
  readonly connections: Connections;
  readonly metrics: AgentMetrics;
  readonly hashing: HashingThread | undefined;
}

async function agentOf(options: AgentOptions, parts: AgentParts): Promise<Agent> {
  const { layout, connections, metrics, hashing } = parts;
  const { name, clock, random, log, mostBytes, drainBandwidth: bandwidth } = options;
  const stateFile = new StateFile(layout, random);
  const kept = await stateFile.read();
  const store = await DiskStore.open({
    layout,
    clock,
    random,
    log,
    mostBytes,
    hashing,
    onCorrupt: metrics.corrupt,
  });
  await stateFile.reserve();
  const calls = new AgentClient(connections);
  const draining = (drained: Drained) => new Drain({ name, store, calls, clock, random, log, bandwidth, drained });
  const agent = new Agent({ name, layout, store, stateFile, kept, log, draining });
  metrics.shows(agent);
  return agent;
}

/** What is wrong with the directory is said before anything is done in it. Those above it are not made: they are where a volume is mounted. */
async function usable(path: string): Promise<Layout> {
  await attempt('make the directory', path, () => mkdir(path).catch(ifNotThere));
  const isDirectory = (await attempt('look at', path, () => stat(path))).isDirectory();
  if (!isDirectory) throw new Error(`${path} is no directory: give the agent one of its own (--path)`);
  await attempt('write to', path, () => access(path, constants.R_OK | constants.W_OK | constants.X_OK));
  return new Layout(path);
}

function ifNotThere(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}

async function count(store: DiskStore, log: Log, stop: AbortSignal): Promise<void> {
  try {
    await store.count(stop);
    if (stop.aborted) return;
    log.info(store.totals(), 'the blobs are counted');
  } catch (err) {
    log.error(
      { err },
      'the blobs could not be counted: the agent stays Initializing. Look at its volume, and start it anew',
    );
  }
}

async function scrubbed(
  { scrub: asked, ...options }: AgentOptions,
  layout: Layout,
  store: DiskStore,
  metrics: AgentMetrics,
  stop: AbortSignal,
): Promise<void> {
  if (asked) await scrub({ ...options, ...asked, layout, store, metrics }, stop);
}

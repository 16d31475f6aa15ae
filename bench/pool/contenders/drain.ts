/** Fills an agent, and has it hand everything over to another one. */
import { randomFillSync } from 'node:crypto';
import { readFileSync, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentStatus, Peer } from '../../../src/pool-client/protocol.ts';
import type { Contend } from '../../measure/contender.ts';
import { cpuSecondsOf, SERVER_CPU } from '../cpu.ts';
import { HttpClient, type Request } from '../http.ts';

export interface DrainLoad {
  readonly from: Peer;
  readonly to: Peer;
  /** What each request must carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** The file with what the source says. */
  readonly log: string;
  /** Of each blob. */
  readonly sizes: readonly number[];
  /** Of both. */
  readonly pids: readonly number[];
  /** How often the source is asked how it stands meanwhile, as an operator does; never if not said. */
  readonly askedEveryMs?: number;
}

export const DRAIN = 'drain';
/** In milliseconds: the longest that the source took to say how it stands. */
export const SLOWEST_STATUS = 'slowest status';
const FILL_AT_ONCE = 8;

const contend: Contend<DrainLoad> = async ({ from, to, headers, log, sizes, pids, askedEveryMs }, meter) => {
  using stack = new DisposableStack();
  const clientsOf = ({ url }: Peer) => Array.from({ length: FILL_AT_ONCE }, () => stack.use(new HttpClient(url)));
  const [sources, targets] = [clientsOf(from), clientsOf(to)];
  const [source] = sources as [HttpClient, ...HttpClient[]];
  const bytes = randomFillSync(Buffer.allocUnsafe(Math.max(...sizes)));
  const blob = (method: string, index: number, body?: Buffer): Request => ({
    method,
    path: `/blobs/${index}`,
    headers: { ...headers, ...(body && { 'content-length': body.length }) },
    ...(body && { body }),
  });
  const status = () => source.json<AgentStatus>({ method: 'GET', path: '/status', headers });
  const order = async (path: string, what: object) => {
    const text = JSON.stringify(what);
    await source.read({ method: 'PUT', path, headers: { ...headers, 'content-length': text.length }, body: text }, 200);
  };

  const generation = ((await status()).generation ?? 0) + 1;
  await all(sources, sizes.length, (client, index) =>
    client.read(blob('PUT', index, bytes.subarray(0, sizes[index])), 201),
  );
  const cpuBefore = cpuSecondsOf(pids);
  const slowestMs = await meter.measure(DRAIN, async () => {
    const drained = said(log, 'the agent is Decommissioned');
    await order('/manage-agent/decommission', { generation, peers: [to] });
    if (askedEveryMs !== undefined) return await slowest(status, askedEveryMs, drained);
    await drained;
    return undefined;
  });
  if (slowestMs !== undefined) meter.count(SLOWEST_STATUS, slowestMs);
  meter.count(SERVER_CPU, cpuSecondsOf(pids) - cpuBefore);
  await all(targets, sizes.length, (client, index) => client.read(blob('DELETE', index), 204));
  await order('/manage-agent/recommission', { generation: generation + 1 });
};

/** In milliseconds. */
async function slowest(ask: () => Promise<unknown>, everyMs: number, over: Promise<void>): Promise<number> {
  let [most, isOver] = [0, false];
  void over.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const begun = performance.now();
    await ask();
    most = Math.max(most, performance.now() - begun);
    await Promise.race([over, sleep(everyMs)]);
  }
  return most;
}

/** Resolves when the log goes on with a line that has this in it. To ask the agent would cost it time. */
function said(log: string, words: string): Promise<void> {
  const before = readFileSync(log).length;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const watcher = watch(log, () => {
    if (readFileSync(log).subarray(before).includes(words)) resolve();
  }).once('error', reject);
  return promise.finally(() => watcher.close());
}

async function all(
  clients: readonly HttpClient[],
  count: number,
  ask: (client: HttpClient, index: number) => Promise<unknown>,
): Promise<void> {
  const indices = Array.from({ length: count }, (_, index) => index).values();
  await Promise.all(
    clients.map(async (client) => {
      for (const index of indices) await ask(client, index);
    }),
  );
}

export default contend;

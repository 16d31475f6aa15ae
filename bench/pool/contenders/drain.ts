/** Fills an agent, and has it hand everything over to another one. */
import { randomFillSync } from 'node:crypto';
import { readFileSync, watch } from 'node:fs';
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
  readonly blobs: number;
  readonly sizeBytes: number;
  /** Of both. */
  readonly pids: readonly number[];
}

export const DRAIN = 'drain';
const FILL_AT_ONCE = 8;

const contend: Contend<DrainLoad> = async ({ from, to, headers, log, blobs, sizeBytes, pids }, meter) => {
  using stack = new DisposableStack();
  const clientsOf = ({ url }: Peer) => Array.from({ length: FILL_AT_ONCE }, () => stack.use(new HttpClient(url)));
  const [sources, targets] = [clientsOf(from), clientsOf(to)];
  const [source] = sources as [HttpClient, ...HttpClient[]];
  const body = randomFillSync(Buffer.allocUnsafe(sizeBytes));
  const blob = (method: string, index: number, more: Partial<Request> = {}): Request => ({
    method,
    path: `/blobs/${index}`,
    headers: { ...headers, ...(more.body && { 'content-length': sizeBytes }) },
    ...more,
  });
  const status = () => source.json<AgentStatus>({ method: 'GET', path: '/status', headers });
  const order = async (path: string, what: object) => {
    const text = JSON.stringify(what);
    await source.read({ method: 'PUT', path, headers: { ...headers, 'content-length': text.length }, body: text }, 200);
  };

  const generation = ((await status()).generation ?? 0) + 1;
  await all(sources, blobs, (client, index) => client.read(blob('PUT', index, { body }), 201));
  const cpuBefore = cpuSecondsOf(pids);
  await meter.measure(DRAIN, async () => {
    const drained = said(log, 'the agent is Decommissioned');
    await order('/manage-agent/decommission', { generation, peers: [to] });
    await drained;
  });
  meter.count(SERVER_CPU, cpuSecondsOf(pids) - cpuBefore);
  await all(targets, blobs, (client, index) => client.read(blob('DELETE', index), 204));
  await order('/manage-agent/recommission', { generation: generation + 1 });
};

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

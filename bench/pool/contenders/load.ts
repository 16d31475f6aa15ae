/** Several clients at once, each of which puts one blob after the other, and then gets them. */
import { randomFillSync } from 'node:crypto';
import type { Contend } from '../../measure/contender.ts';
import { cpuSecondsOf, SERVER_CPU } from '../cpu.ts';
import { type Dialect, type Method, requestFor } from '../dialect.ts';
import { HttpClient, type Request } from '../http.ts';
import { percentile } from '../percentile.ts';

export interface Load {
  readonly dialect: Dialect;
  readonly clients: number;
  readonly blobs: number;
  readonly sizeBytes: number;
  /** Of the server. */
  readonly pid: number;
}

export const PUT = 'put';
export const GET = 'get';
export const P99 = '99th percentile';

/** So many of the blobs go before, so that connections are open and code is compiled. */
const WARM_UP = 8;

const contend: Contend<Load> = async ({ dialect, clients, blobs, sizeBytes, pid }, meter) => {
  using stack = new DisposableStack();
  const connections = Array.from({ length: clients }, () => stack.use(new HttpClient(dialect.url)));
  const body = randomFillSync(Buffer.allocUnsafe(sizeBytes));
  const requests = (method: Method, keys: readonly string[]): readonly Request[] =>
    keys.map((key) => requestFor(dialect, method, key, method === 'PUT' ? body : undefined));
  const all = (method: Method, keys: readonly string[]) => send(connections, requests(method, keys), sizeBytes);

  const early = keysOf('early', Math.max(clients, Math.ceil(blobs / WARM_UP)));
  for (const method of ['PUT', 'GET', 'DELETE'] as const) await all(method, early);

  const keys = keysOf('blob', blobs);
  for (const [phase, method] of [[PUT, 'PUT'] as const, [GET, 'GET'] as const]) {
    const prepared = requests(method, keys);
    const cpuBefore = cpuSecondsOf([pid]);
    const taken = await meter.measure(phase, () => send(connections, prepared, sizeBytes));
    meter.count(SERVER_CPU, cpuSecondsOf([pid]) - cpuBefore);
    meter.count(P99, percentile(taken, 99));
  }
  await all('DELETE', keys);
};

const keysOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** The milliseconds that each took. */
async function send(
  connections: readonly HttpClient[],
  requests: readonly Request[],
  sizeBytes: number,
): Promise<readonly number[]> {
  const left = requests.values();
  const taken: number[] = [];
  const work = async (connection: HttpClient) => {
    for (const request of left) {
      const started = performance.now();
      const { status, bytes } = await connection.send(request);
      taken.push(performance.now() - started);
      const isRight = status >= 200 && status < 300 && (request.method !== 'GET' || bytes === sizeBytes);
      if (!isRight) throw new Error(`${request.method} ${request.path}: ${status} with ${bytes} bytes`);
    }
  };
  await Promise.all(connections.map(work));
  return taken;
}

export default contend;

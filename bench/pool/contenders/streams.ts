/** Puts many blobs at the same time, each a stream that nobody has in memory as a whole, and gets them again. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import type { Contend } from '../../measure/contender.ts';

export interface Streams {
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly streams: number;
  readonly sizeBytes: number;
  /** Whether they are got again, too. */
  readonly isRead: boolean;
}

export const STREAM_IN = 'in';
export const STREAM_OUT = 'out';
/** The same kilobyte again and again: a filesystem that compresses has room for many. */
const PIECE = Buffer.alloc(256 * 1024, randomBytes(1024));

const contend: Contend<Streams> = async ({ url, headers, streams, sizeBytes, isRead }, meter) => {
  const agent = new Agent({ keepAlive: false, maxSockets: streams });
  const targets = Array.from({ length: streams }, (_, index) => new URL(`/blobs/stream-${index}`, url));
  const all = (each: (target: URL) => Promise<void>) => Promise.all(targets.map(each));
  await meter.measure(STREAM_IN, () => all(put));
  if (isRead) await meter.measure(STREAM_OUT, () => all(get));
  await all(remove);

  async function put(target: URL): Promise<void> {
    const sent = request(target, { method: 'PUT', agent, headers: { ...headers, 'content-length': sizeBytes } });
    const answered = once(sent, 'response');
    for (let left = sizeBytes; left > 0; left -= PIECE.length) {
      if (!sent.write(PIECE.subarray(0, left))) await once(sent, 'drain');
    }
    sent.end();
    await expect(answered, 201);
  }

  async function get(target: URL): Promise<void> {
    const bytes = await expect(once(request(target, { agent, headers }).end(), 'response'), 200);
    if (bytes !== sizeBytes) throw new Error(`${bytes} of ${sizeBytes} bytes have come`);
  }

  async function remove(target: URL): Promise<void> {
    await expect(once(request(target, { method: 'DELETE', agent, headers }).end(), 'response'), 204);
  }
};

/** Resolves with how many bytes have come. */
async function expect(answered: Promise<unknown[]>, status: number): Promise<number> {
  const [response] = (await answered) as [import('node:http').IncomingMessage];
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length;
  if (response.statusCode !== status) throw new Error(`${response.statusCode} instead of ${status}`);
  return bytes;
}

export default contend;

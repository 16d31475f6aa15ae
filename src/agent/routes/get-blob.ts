/** Gives a blob out: all of it, a range, or only what is known of it. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { BlobInfo } from '../../pool-client/protocol.ts';
import type { Agent } from '../agent.ts';
import { isRangeOf, matches, tagOf } from '../conditional.ts';
import { reprDigest } from '../digest.ts';
import type { Exchange } from '../exchange.ts';
import { keyInPath } from '../keys.ts';
import { oneAhead } from '../one-ahead.ts';
import { type AskedRange, askedRange } from '../ranges.ts';
import { type ByteRange, type OpenBlob, StoreError } from '../store.ts';
import type { Route } from './route.ts';

export function getBlob(agent: Agent): Route {
  return async (exchange) => {
    const key = keyInPath(exchange.path);
    await using blob = await agent.store.open(key);
    if (!blob) throw new StoreError('NotFound', 'there is no blob of this key here');
    const { method, headers } = exchange.request;
    const { sha256, size } = blob.info;
    if (headers['if-match'] !== undefined && !matches(headers['if-match'], sha256)) {
      return exchange.empty(412, headersOf(blob.info));
    }
    if (headers['if-none-match'] !== undefined && matches(headers['if-none-match'], sha256)) {
      return exchange.empty(304, headersOf(blob.info));
    }
    const range = askedOf(exchange, blob.info);
    if (range === 'none') return exchange.empty(416, { ...headersOf(blob.info), 'content-range': `bytes */${size}` });
    const part = range === 'all' ? { start: 0, end: size } : range;
    const head: Head = { status: range === 'all' ? 200 : 206, headers: headersFor(blob.info, range, part) };
    if (method === 'HEAD') exchange.head(head.status, head.headers);
    else await sendAll(exchange, head, blob, part);
    exchange.end();
  };
}

interface Head {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
}

/** Ranges are for GET only. */
function askedOf({ request: { method, headers } }: Exchange, { sha256, size }: BlobInfo): AskedRange {
  const isMeant = method === 'GET' && isRangeOf(headers['if-range']?.toString(), sha256);
  return isMeant ? askedRange(headers.range, size) : 'all';
}

/** That the first piece is good is known before anything is said; who is told later that another is not is cut off. */
async function sendAll(exchange: Exchange, head: Head, blob: OpenBlob, part: ByteRange): Promise<void> {
  try {
    for await (const bytes of oneAhead(blob.read(part))) {
      if (!exchange.hasAnswered) exchange.head(head.status, head.headers);
      await exchange.send(bytes);
    }
    if (!exchange.hasAnswered) exchange.head(head.status, head.headers);
  } catch (error) {
    if (exchange.hasAnswered) exchange.reset();
    throw error;
  }
}

function headersFor(info: BlobInfo, range: AskedRange, { start, end }: ByteRange): OutgoingHttpHeaders {
  return {
    ...headersOf(info),
    'content-type': 'application/octet-stream',
    'content-length': end - start,
    ...(range !== 'all' && { 'content-range': `bytes ${start}-${end - 1}/${info.size}` }),
  };
}

const headersOf = ({ sha256 }: BlobInfo): OutgoingHttpHeaders => ({
  etag: tagOf(sha256),
  'repr-digest': reprDigest(sha256),
  'accept-ranges': 'bytes',
  'x-content-type-options': 'nosniff',
});

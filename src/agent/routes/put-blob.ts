/** Takes a blob in. */
import type { IncomingHttpHeaders } from 'node:http';
import type { BlobInfo } from '../../pool-client/protocol.ts';
import type { Agent } from '../agent.ts';
import { matches, tagOf } from '../conditional.ts';
import { announcedSha256, reprDigest } from '../digest.ts';
import { roomIn } from '../headroom.ts';
import { keyInPath } from '../keys.ts';
import type { Layout } from '../layout.ts';
import { type ExpectedBlob, StoreError } from '../store.ts';
import type { Route } from './route.ts';

/** Smaller ones are not asked about beforehand: they are told soon enough, and most of them are welcome. */
const WORTH_ASKING_BYTES = 8 * 1024 * 1024;

export interface PutParts {
  readonly agent: Agent;
  readonly layout: Layout;
  readonly mostBytes: number;
}

/** All that can be refused by the headers is, before the client is told to send the rest. */
export function putBlob({ agent, layout, mostBytes }: PutParts): Route {
  return async (exchange) => {
    const { headers } = exchange.request;
    const key = keyInPath(exchange.path);
    const expected = expectedBlob(headers);
    agent.mustTake();
    if ((expected.size ?? 0) > mostBytes) throw new StoreError('TooLarge', `a blob may have ${mostBytes} bytes here`);
    if (needsLook(headers, expected)) refuseByWhatIsThere(headers, expected, await look(agent, key));
    if ((expected.size ?? 0) >= WORTH_ASKING_BYTES) await mustHaveRoom(layout, expected.size ?? 0);
    agent.mustTake(); // no time passes from here until the store knows of it
    const { made, info } = await agent.store.put(key, exchange.body(), expected).catch(asExists(headers));
    if (!made && headers['if-none-match'] !== undefined) throw exists();
    exchange.json(made ? 201 : 200, info, { etag: tagOf(info.sha256), 'repr-digest': reprDigest(info.sha256) });
  };
}

function expectedBlob(headers: IncomingHttpHeaders): ExpectedBlob {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = headers;
  if (headers['content-range'] !== undefined) throw new StoreError('BadRequest', 'a blob is stored as a whole only');
  if (encoding !== 'identity') {
    throw new StoreError(
      'BadRequest',
      `bytes are stored as they are: send them without Content-Encoding (${encoding})`,
    );
  }
  const sha256 = announcedSha256(one(headers['repr-digest']));
  return { ...(sha256 !== undefined && { sha256 }), ...(length !== undefined && { size: Number(length) }) };
}

const one = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join(',') : header;

/** Who waits to send much is spared that, if it would be in vain. Little is as soon sent; the store says the same afterwards. */
const needsLook = (headers: IncomingHttpHeaders, { size = Number.POSITIVE_INFINITY }: ExpectedBlob): boolean =>
  headers['if-none-match'] !== undefined ||
  headers['if-match'] !== undefined ||
  (headers.expect !== undefined && size >= WORTH_ASKING_BYTES);

async function look(agent: Agent, key: string): Promise<BlobInfo | undefined> {
  await using blob = await agent.store.open(key).catch(ifNotCorrupt);
  return blob?.info;
}

/** The store decides what may come in its place. */
function ifNotCorrupt(error: unknown): undefined {
  if (error instanceof StoreError && error.reason === 'Corrupt') return undefined;
  throw error;
}

function refuseByWhatIsThere(
  headers: IncomingHttpHeaders,
  { sha256 }: ExpectedBlob,
  there: BlobInfo | undefined,
): void {
  const { 'if-none-match': none, 'if-match': some } = headers;
  if (none !== undefined && matches(none, there?.sha256)) throw exists();
  if (some !== undefined && !matches(some, there?.sha256)) {
    throw new StoreError('Exists', 'what is stored under this key is not what If-Match says');
  }
  if (there && sha256 !== undefined && sha256 !== there.sha256) {
    throw new StoreError('Conflict', `other bytes are stored under this key: their SHA-256 is ${there.sha256}`);
  }
}

async function mustHaveRoom({ root }: Layout, size: number): Promise<void> {
  const room = await roomIn(root);
  if (room < size) throw new StoreError('Full', `there is room for ${room} bytes, not for ${size}`);
}

/** Somebody was quicker: who wanted to be the only one is told so, whatever the bytes. */
const asExists =
  (headers: IncomingHttpHeaders) =>
  (error: unknown): never => {
    const isTaken = error instanceof StoreError && error.reason === 'Conflict';
    throw isTaken && headers['if-none-match'] !== undefined ? exists() : error;
  };

const exists = (): StoreError => new StoreError('Exists', 'something is stored under this key already');

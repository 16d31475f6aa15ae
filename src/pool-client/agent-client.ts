/** The calls to an agent, over HTTP. What it answers is checked here, once. */
import { visible } from '../kit/visible.ts';
import type { AgentCalls, Download, Page, Resumption, Stored } from './agent-calls.ts';
import { blobPath } from './blob-path.ts';
import type { AgentAnswer, AgentRequest, Connections } from './connections.ts';
import { Conflict, Refused, Untrue } from './errors.ts';
import {
  AGENT_HEADER,
  AGENT_STATES,
  type AgentStatus,
  BLOBS_PATH,
  type BlobInfo,
  type BlobPage,
  type Peer,
  REASON_HEADER,
  REASONS,
  STATUS_PATH,
} from './protocol.ts';

/** A page of the longest keys there are, each character escaped, fits. */
const MOST_JSON_BYTES = 16 * 1024 * 1024;
const MOST_REFUSAL_BYTES = 256 * 1024;
const LONGEST_QUOTE = 500;

export class AgentClient implements AgentCalls {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async status(agent: Peer, signal?: AbortSignal): Promise<AgentStatus> {
    const answer = await this.#ask(agent, { method: 'GET', path: STATUS_PATH, signal }, 200);
    return agentStatus(agent, await json(agent, 'GET /status', answer));
  }

  async head(agent: Peer, key: string, signal?: AbortSignal): Promise<BlobInfo | undefined> {
    const request = { method: 'HEAD', path: blobPath(key), signal } as const;
    const answer = await this.#ask(agent, request, 200, 404);
    await text(agent, answer, MOST_REFUSAL_BYTES);
    return answer.status === 404 ? undefined : infoOf(agent, key, answer);
  }

  async get(agent: Peer, key: string, from?: Resumption, signal?: AbortSignal): Promise<Download | undefined> {
    const headers = from && { range: `bytes=${from.start}-`, 'if-range': `"${from.sha256}"` };
    const request = { method: 'GET', path: blobPath(key), signal, ...(headers && { headers }) } as const;
    const answer = await this.#ask(agent, request, 200, 206, 404);
    if (answer.status === 404) {
      await text(agent, answer, MOST_REFUSAL_BYTES);
      return undefined;
    }
    try {
      return { info: infoOf(agent, key, answer, from), body: answer.body };
    } catch (error) {
      await leave(answer);
      throw error;
    }
  }

  async put(agent: Peer, blob: BlobInfo, body: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<Stored> {
    const { key, size, sha256 } = blob;
    const digest = `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
    // Without a length an empty body still has an end of its own, which is only sent when the agent wants the body.
    const length = size > 0 ? { 'content-length': size } : { 'transfer-encoding': 'chunked' };
    const headers = { ...length, 'repr-digest': digest, 'content-type': 'application/octet-stream' };
    const request = { method: 'PUT', path: blobPath(key), headers, body, signal } as const;
    const answer = await this.#connections.send(agent, request);
    if (answer.status === 409) throw await conflictOr(agent, request, answer, key);
    await expect(agent, request, answer, [200, 201]);
    await text(agent, answer, MOST_REFUSAL_BYTES);
    const stored = digestIn(answer);
    if (stored !== sha256) {
      const said =
        stored === undefined ? 'it does not say which bytes it has stored' : `it says that it has stored ${stored}`;
      throw new Untrue(agent, `PUT ${request.path}`, `${said}, not ${sha256}`);
    }
    return answer.status === 201 ? 'made' : 'same';
  }

  async remove(agent: Peer, key: string, signal?: AbortSignal, ifMatch?: string): Promise<boolean> {
    const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const other = ifMatch === undefined ? [] : [412];
    const answer = await this.#ask(
      agent,
      { method: 'DELETE', path: blobPath(key), headers, signal },
      204,
      404,
      ...other,
    );
    await text(agent, answer, MOST_REFUSAL_BYTES);
    return answer.status === 204;
  }

  async list(agent: Peer, page: Page, signal?: AbortSignal): Promise<BlobPage> {
    const query = new URLSearchParams(Object.entries(page).map(([name, value]) => [name, String(value)]));
    const path = `${BLOBS_PATH}?${query}`;
    const answer = await this.#ask(agent, { method: 'GET', path, signal }, 200);
    return blobPage(agent, await json(agent, `GET ${path}`, answer));
  }

  async #ask(agent: Peer, request: AgentRequest, ...expected: readonly number[]): Promise<AgentAnswer> {
    const answer = await this.#connections.send(agent, request);
    await expect(agent, request, answer, expected);
    return answer;
  }
}

/** Reads on only if it is the agent that was meant, and one of the answers that were expected. */
async function expect(agent: Peer, request: AgentRequest, answer: AgentAnswer, expected: readonly number[]) {
  const isExpected = expected.includes(answer.status);
  if (isExpected && request.path !== STATUS_PATH) {
    const whose = nameIn(answer);
    if (whose === agent.name) return;
    await leave(answer);
    const who = whose === undefined ? 'something that is not a storage agent' : `the agent ${whose}`;
    throw new Untrue(agent, what(request), `${who} answers at this address`);
  }
  if (!isExpected) throw await refusal(agent, request, answer);
}

const what = ({ method, path }: AgentRequest): string => `${method} ${path}`;

function nameIn({ headers }: AgentAnswer): string | undefined {
  const name = headers[AGENT_HEADER];
  try {
    return typeof name === 'string' ? decodeURIComponent(name) : undefined;
  } catch {
    return undefined;
  }
}

/** The digest of the blob that an answer is about. */
const digestIn = ({ headers }: AgentAnswer): string | undefined => /^"([0-9a-f]{64})"$/.exec(headers.etag ?? '')?.[1];

function infoOf(agent: Peer, key: string, answer: AgentAnswer, from?: Resumption): BlobInfo {
  const about = blobPath(key);
  const sha256 = digestIn(answer);
  if (sha256 === undefined) throw new Untrue(agent, about, 'it does not say which bytes they are');
  if (!from) return { key, sha256, size: lengthIn(agent, about, answer) };
  const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers['content-range'] ?? '') ?? [];
  if (answer.status !== 206 || sha256 !== from.sha256)
    throw new Untrue(agent, about, 'these are other bytes than before');
  if (Number(start) !== from.start) throw new Untrue(agent, about, `it goes on at another byte than ${from.start}`);
  return { key, sha256, size: Number(size) };
}

function lengthIn(agent: Peer, about: string, { headers }: AgentAnswer): number {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(length)) throw new Untrue(agent, about, 'it does not say how many bytes they are');
  return length;
}

async function conflictOr(agent: Peer, request: AgentRequest, answer: AgentAnswer, key: string): Promise<Error> {
  const refused = await refusal(agent, request, answer);
  return refused.reason === 'Conflict' ? new Conflict(agent.name, key) : refused;
}

async function refusal(agent: Peer, request: AgentRequest, answer: AgentAnswer): Promise<Refused> {
  const said = await text(agent, answer, MOST_REFUSAL_BYTES);
  return new Refused(agent, what(request), answer.status, readRefusal(said, answer.headers[REASON_HEADER]));
}

/** Whatever answers: what it says is shown, bounded, and believed only if we know it. */
function readRefusal(said: string, inHeader: unknown) {
  const parsed = parsedOr(said);
  const { reason = inHeader, message } = isRecord(parsed) ? parsed : {};
  const words = typeof message === 'string' ? message : said.trim();
  return {
    reason: REASONS.find((each) => each === reason),
    message: visible(words.slice(0, LONGEST_QUOTE)) || visible(String(inHeader ?? 'no reason').slice(0, LONGEST_QUOTE)),
  };
}

async function json(agent: Peer, about: string, answer: AgentAnswer): Promise<unknown> {
  const parsed = parsedOr(await text(agent, answer, MOST_JSON_BYTES));
  if (parsed === undefined) throw new Untrue(agent, about, 'it is not JSON');
  return parsed;
}

function parsedOr(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

async function text(agent: Peer, { body }: AgentAnswer, most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > most) throw new Untrue(agent, 'a question', `its answer is longer than ${most} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function leave({ body }: AgentAnswer): Promise<void> {
  for await (const _ of body) break;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The first four are all that an agent of the original says. */
function agentStatus(agent: Peer, value: unknown): AgentStatus {
  const known = isRecord(value) && AGENT_STATES.some((state) => state === value.state);
  if (!known || typeof value.name !== 'string' || !isCount(value.total) || !isCount(value.used)) {
    throw new Untrue(agent, `GET ${STATUS_PATH}`, 'it is no status of a storage agent');
  }
  return value as unknown as AgentStatus;
}

function blobPage(agent: Peer, value: unknown): BlobPage {
  const next = isRecord(value) ? value.continue : undefined;
  const items = isRecord(value) ? value.items : undefined;
  if (!Array.isArray(items) || !items.every(isInfo) || (next !== undefined && typeof next !== 'string')) {
    throw new Untrue(agent, `GET ${BLOBS_PATH}`, 'it is no page of a listing');
  }
  return { items, ...(next && { continue: next }) };
}

const isInfo = (value: unknown): value is BlobInfo =>
  isRecord(value) &&
  typeof value.key === 'string' &&
  isCount(value.size) &&
  /^[0-9a-f]{64}$/.test(String(value.sha256));

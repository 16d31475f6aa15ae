/** Asks the agents of a pool, and tells them what to do. Whatever goes wrong is an answer, too: that it is not known, and why. */
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Clock } from '../kit/clock/clock.ts';
import { deadline } from '../kit/clock/deadline.ts';
import type { Known } from '../kit/known.ts';
import {
  AGENT_HEADER,
  type AgentStatus,
  BLOBS_PATH,
  DECOMMISSION_PATH,
  DEFAULT_PORT,
  RECOMMISSION_PATH,
  STATUS_PATH,
} from '../pool-client/protocol.ts';
import { agentStatusOf, isEmptyPage } from './agent-answer.ts';
import type { Addressee, Order } from './plan.ts';

export interface Agents {
  status(to: Addressee, token: string, signal: AbortSignal): Promise<Known<AgentStatus>>;
  isEmpty(to: Addressee, token: string, signal: AbortSignal): Promise<Known<boolean>>;
  /** Known when the agent has taken it. */
  order(to: Addressee, token: string, order: Order, signal: AbortSignal): Promise<Known<'taken'>>;
}

/** Who takes longer is not known to be well. */
const TIMEOUT_MS = 2_000;
/** An order may have to be written to a disk that is busy. */
const ORDER_TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 1024;
const IDLE_SOCKETS = 64;

interface Ask {
  readonly to: Addressee;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly body?: string;
  readonly timeoutMs: number;
}

export class HttpAgents implements Agents {
  readonly #clock: Clock;
  readonly #port: number;
  readonly #sockets = new Agent({ keepAlive: true, maxFreeSockets: IDLE_SOCKETS });

  constructor(clock: Clock, port = DEFAULT_PORT) {
    this.#clock = clock;
    this.#port = port;
  }

  async status(to: Addressee, token: string, signal: AbortSignal): Promise<Known<AgentStatus>> {
    const text = await this.#ask({ to, token, signal, method: 'GET', path: STATUS_PATH, timeoutMs: TIMEOUT_MS });
    const answer = text.known ? agentStatusOf(text.value) : text;
    return answer.known ? ofWhoWasMeant(answer.value, to) : answer;
  }

  async isEmpty(to: Addressee, token: string, signal: AbortSignal): Promise<Known<boolean>> {
    const path = `${BLOBS_PATH}?limit=1`;
    const text = await this.#ask({ to, token, signal, method: 'GET', path, timeoutMs: TIMEOUT_MS });
    return text.known ? isEmptyPage(text.value) : text;
  }

  async order(to: Addressee, token: string, order: Order, signal: AbortSignal): Promise<Known<'taken'>> {
    const { kind, ...body } = order;
    const path = kind === 'decommission' ? DECOMMISSION_PATH : RECOMMISSION_PATH;
    const sent = { method: 'PUT', path, body: JSON.stringify(body), timeoutMs: ORDER_TIMEOUT_MS } as const;
    const text = await this.#ask({ to, token, signal, ...sent });
    return text.known ? { known: true, value: 'taken' } : text;
  }

  close(): void {
    this.#sockets.destroy();
  }

  async #ask(ask: Ask): Promise<Known<string>> {
    const limit = deadline(
      this.#clock,
      ask.timeoutMs,
      () => new Error(`no answer within ${ask.timeoutMs / 1000} s`),
      ask.signal,
    );
    try {
      return await this.#exchange(ask, limit.signal);
    } catch (error) {
      const reason = limit.signal.aborted ? limit.signal.reason : error;
      return unknown(reason instanceof Error ? reason.message : String(reason));
    } finally {
      limit.cancel();
    }
  }

  async #exchange({ to, token, method, path, body }: Ask, signal: AbortSignal): Promise<Known<string>> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      };
      const at = { host: to.ip, port: this.#port, method, path, headers, agent: this.#sockets, signal };
      request(at).once('response', resolve).on('error', reject).end(body);
    });
    const text = await boundedText(response);
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) return unknown(`it answers ${method} ${path} with ${statusCode}`);
    const name = response.headers[AGENT_HEADER];
    if (typeof name === 'string' && name !== encodeURIComponent(to.name))
      return unknown('another agent answers at its address');
    return text;
  }
}

/** An agent of ours tells its name. An address may have been given to another since we heard of it. */
function ofWhoWasMeant(status: AgentStatus, { name }: Addressee): Known<AgentStatus> {
  if (status.blobs !== undefined && status.name !== name) return unknown(`${status.name} answers at its address`);
  return { known: true, value: status };
}

async function boundedText(response: IncomingMessage): Promise<Known<string>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response) {
    length += part.length;
    if (length > MOST_BYTES) {
      response.destroy();
      return unknown(`its answer is longer than ${MOST_BYTES} bytes`);
    }
    parts.push(part);
  }
  if (!response.complete) return unknown('its answer broke off');
  return { known: true, value: Buffer.concat(parts).toString() };
}

const unknown = (why: string): { readonly known: false; readonly why: string } => ({ known: false, why });

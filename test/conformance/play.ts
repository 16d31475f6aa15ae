/** Plays the steps of a case on one server, and writes down what it answered. */
import { setTimeout } from 'node:timers/promises';
import type { Transport, TransportResponse } from '../../src/kit/kube/transport.ts';
import { readLines } from './lines.ts';
import { urlOf } from './paths.ts';
import { filled, filledUrl, type Known } from './references.ts';
import type { Request, Step, Watch } from './steps.ts';

export interface Server {
  readonly transport: Transport;
  readonly token: string;
}

/** One step, and what became of it. */
export interface Exchange {
  readonly asked: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly events?: readonly unknown[];
}

const COMPARED_HEADERS: readonly string[] = ['content-type', 'warning'];
/** How long events may be in coming, and how long something may take to be as a case waits for it. */
const PATIENCE_MS = 5_000;
const POLL_MS = 25;

export async function play(server: Server, name: string, steps: readonly Step[]): Promise<readonly Exchange[]> {
  const known = { case: name, answers: [] as unknown[] };
  const played: (() => Promise<Exchange>)[] = [];
  for (const step of steps) {
    const { exchange, answer } =
      step.does === 'ask' ? await asked(server, step, known) : await watched(server, step, known);
    known.answers.push(answer);
    played.push(exchange);
  }
  return Promise.all(played.map((exchange) => exchange()));
}

interface Played {
  readonly exchange: () => Promise<Exchange>;
  readonly answer: unknown;
}

async function asked(server: Server, step: Request, known: Known): Promise<Played> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let exchange = await request(server, step, known);
  while (!isAwaited(exchange, step.until) && !signal.aborted) {
    await setTimeout(POLL_MS);
    exchange = await request(server, step, known);
  }
  return { exchange: async () => exchange, answer: exchange.body };
}

function isAwaited({ status, body }: Exchange, answer: Request['until']): boolean {
  if (answer === undefined) return true;
  return typeof answer === 'number' ? status === answer : JSON.stringify(body).includes(answer);
}

async function request(server: Server, step: Request, known: Known): Promise<Exchange> {
  const response = await sent(server, step, known, AbortSignal.timeout(PATIENCE_MS));
  return { ...outline(step.method, step, response), body: parsed(await response.text()) };
}

/** Opens it now, and reads it when all else is done: then the events are there. */
async function watched(server: Server, step: Watch, known: Known): Promise<Played> {
  const end = new AbortController();
  const response = await sent(server, { ...step, method: 'GET' }, known, end.signal, true);
  const outlined = outline('WATCH', step, response);
  if (response.status !== 200) {
    const exchange = { ...outlined, body: parsed(await response.text()) };
    return { exchange: async () => exchange, answer: exchange.body };
  }
  const lines = readLines(response.body);
  const exchange = async () => {
    const events = await lines(step.events, PATIENCE_MS);
    end.abort();
    return { ...outlined, events: events.map(parsed) };
  };
  return { exchange, answer: undefined };
}

const outline = (verb: string, { path }: Step, response: TransportResponse) => ({
  asked: `${verb} ${path}`,
  status: response.status,
  headers: Object.fromEntries(COMPARED_HEADERS.map((name) => [name, response.header(name)])),
});

function sent(
  { transport, token }: Server,
  step: Omit<Request, 'does'>,
  known: Known,
  signal: AbortSignal,
  longLived = false,
): Promise<TransportResponse> {
  const headers = {
    accept: 'application/json',
    'user-agent': 'conformance/1',
    authorization: `Bearer ${token}`,
    ...filled(step.headers, known),
  };
  const body = filled(step.body, known);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const path = filledUrl(urlOf(step.path, known.case), known);
  return transport.request({
    method: step.method,
    path,
    headers,
    signal,
    longLived,
    ...(text !== undefined && { body: text }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

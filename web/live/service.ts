/** What the page asks the console's server, with the caller's token where there is one. */
import type { ActionResult, ConfirmedAction, Hello, RecoveryPlan, VolumeStory } from '../../src/console/model.ts';

/** An answer that is none: what the server said, and with which status. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const wantsSignIn = (problem: unknown): boolean => problem instanceof Refusal && problem.status === 401;

export interface Service {
  readonly hello: () => Promise<Hello>;
  /** The stream itself; with the id of what was heard last it goes on from there. */
  readonly live: (cluster: string, lastId: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly story: (cluster: string, volume: string, signal: AbortSignal) => Promise<VolumeStory>;
  readonly plan: (cluster: string, sync: string, signal: AbortSignal) => Promise<RecoveryPlan>;
  readonly act: (cluster: string, action: ConfirmedAction) => Promise<ActionResult>;
}

/** A console that does not say hello by then is not there. */
const HELLO_MS = 20_000;

export function serviceWith(token: () => string | undefined): Service {
  const ask = async (path: string, request: RequestInit = {}): Promise<Response> => {
    const given = token();
    const headers = { ...request.headers, ...(given !== undefined && { Authorization: `Bearer ${given}` }) };
    const sent = { ...request, headers, cache: 'no-store', credentials: 'same-origin' } as const;
    const response = await fetch(path, sent).catch((problem) => {
      // Each browser has other words for it, and none that help.
      throw problem instanceof TypeError ? new Error(`Nobody answers at ${location.host}.`) : problem;
    });
    if (!response.ok) throw new Refusal(response.status, await wordsOf(response));
    return response;
  };
  const of = (cluster: string): string => `/api/clusters/${encodeURIComponent(cluster)}`;
  /** The server is of the same build as the page: its answers are what the model says. */
  const read = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await ask(path, signal ? { signal } : {})).json() as Promise<T>;

  return {
    hello: () => read<Hello>('/api/hello', AbortSignal.timeout(HELLO_MS)),
    live: async (cluster, lastId, signal) => {
      const headers = { Accept: 'text/event-stream', ...(lastId !== '' && { 'Last-Event-ID': lastId }) };
      const { body } = await ask(`${of(cluster)}/live`, { headers, signal });
      if (!body) throw new Refusal(502, 'the console answered without a stream');
      return body;
    },
    story: (cluster, volume, signal) => read(`${of(cluster)}/volumes/${encodeURIComponent(volume)}`, signal),
    plan: (cluster, sync, signal) => read(`${of(cluster)}/syncs/${encodeURIComponent(sync)}/plan`, signal),
    act: async (cluster, action) => {
      const headers = { 'Content-Type': 'application/json', 'X-Holdfast': '1' };
      const response = await ask(`${of(cluster)}/actions`, { method: 'POST', headers, body: JSON.stringify(action) });
      return response.json() as Promise<ActionResult>;
    },
  };
}

const LONGEST_WORDS = 400;

/** The server answers with a problem; what may stand before it, with a text or a page, and a page is no words. */
async function wordsOf(response: Response): Promise<string> {
  const text = (await response.text().catch(() => '')).trim();
  return spoken(text) || `the console answered ${response.status} ${response.statusText}`.trim();
}

function spoken(text: string): string {
  if (text.startsWith('<')) return '';
  try {
    const told: unknown = JSON.parse(text);
    if (typeof told === 'object' && told !== null && 'problem' in told)
      return String(told.problem).slice(0, LONGEST_WORDS);
  } catch {
    // It is plain text.
  }
  return text.slice(0, LONGEST_WORDS);
}

import { describe, expect, test } from 'vitest';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { type Call, Caller, type CallerOptions, type CallRecord } from './caller.ts';
import { answer, FakeTransport, refusal, type Script } from './fake-transport.ts';
import { RateLimiter } from './rate-limit.ts';
import { ConnectionError, type Transport } from './transport.ts';

const GET: Call = { method: 'GET', path: '/x' };
const CREATE: Call = { method: 'POST', path: '/x', body: '{}' };
const CONDITIONAL: Call = { method: 'PUT', path: '/x', body: '{}', repeatable: true };
const REVIEW: Call = { ...CREATE, readOnly: true };

const ok = answer(200, 'fine');
const busy = { ...refusal(429, 'TooManyRequests', 'later'), headers: { 'retry-after': '3' } };
const failing = refusal(500, 'InternalError', 'oh');
const unavailable = refusal(503, 'ServiceUnavailable', 'starting');
const unauthorized = refusal(401, 'Unauthorized', 'who are you');
const reset = new ConnectionError('the connection broke', { mayHaveHappened: true });
const refused = new ConnectionError('no connection', { mayHaveHappened: false });

describe('a call', () => {
  test('resolves with the text of the answer', async () => {
    const { caller } = aCaller(ok);
    expect(await caller.call(GET)).toBe('fine');
  });

  test('says who is calling', async () => {
    const { caller, transport } = aCaller(ok, { userAgent: 'holdfast-pool/1.2', authorize: token('a') });
    await caller.call({ ...CREATE, contentType: 'application/x' });
    expect(transport.journal[0]?.headers).toEqual({
      accept: 'application/json',
      'user-agent': 'holdfast-pool/1.2',
      'content-type': 'application/x',
      authorization: 'Bearer a0',
    });
  });

  test('without a body has no content type', async () => {
    const { caller, transport } = aCaller(ok);
    await caller.call(GET);
    expect(transport.journal[0]?.headers).not.toHaveProperty('content-type');
  });
});

describe('a call that fails', () => {
  const tries: readonly [string, Script, Call, number][] = [
    ['a read, for load', busy, GET, 2],
    ['a read, by a failing server', failing, GET, 2],
    ['a read, by a broken connection', reset, GET, 2],
    ['a create, for load', busy, CREATE, 2],
    ['a create, before it was sent', refused, CREATE, 2],
    ['a create, by a failing server', failing, CREATE, 1],
    ['a create, by a server that is not available', unavailable, CREATE, 1],
    ['a create, by a broken connection', reset, CREATE, 1],
    ['a conditional write, by a failing server', failing, CONDITIONAL, 2],
    ['a conditional write, by a server that is not available', unavailable, CONDITIONAL, 2],
    ['a conditional write, by a broken connection', reset, CONDITIONAL, 2],
    ['a question, by a broken connection', reset, REVIEW, 2],
    ['a conditional write, for a conflict', refusal(409, 'Conflict', 'changed'), CONDITIONAL, 1],
  ];
  test.each(tries)('is sent again when that is safe: %s', async (_, failure, call, times) => {
    const { caller, transport, clock } = aCaller([failure, ok]);
    const outcome = caller.call(call).then(
      () => 'done',
      () => 'failed',
    );
    await clock.advance(5_000);
    expect(await outcome).toBe(times === 2 ? 'done' : 'failed');
    expect(transport.journal).toHaveLength(times);
  });

  test('waits exactly as long as the server asks for', async () => {
    const { caller, transport, clock } = aCaller([busy, ok]);
    const done = caller.call(GET);
    await clock.advance(2_999);
    expect(transport.journal).toHaveLength(1);
    await clock.advance(1);
    expect(await done).toBe('fine');
  });

  test('is given up after five attempts, with the last error', async () => {
    const { caller, transport, clock } = aCaller(failing);
    const failed = caller.call(GET).catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await failed).toMatchObject({ status: 500, message: 'GET /x: 500 InternalError: oh' });
    expect(transport.journal).toHaveLength(5);
  });

  test('is not sent again after it was aborted in the pause', async () => {
    const { caller, transport, clock } = aCaller([busy, ok]);
    const stop = new AbortController();
    const failed = caller.call({ ...GET, signal: stop.signal }).catch((error: unknown) => error);
    await clock.advance(1_000);
    stop.abort(new Error('shutting down'));
    expect(await failed).toMatchObject({ message: 'shutting down' });
    expect([transport.journal.length, clock.pending]).toEqual([1, 0]);
  });
});

describe('the deadline of a call', () => {
  test('ends each attempt as a timeout, and what is safe is tried again', async () => {
    const { caller, transport, clock } = aCaller(['hang', ok]);
    const done = caller.call({ ...GET, timeoutMs: 300 });
    await clock.advance(299);
    expect(transport.journal).toHaveLength(1);
    await clock.advance(1_000);
    expect(await done).toBe('fine');
  });

  test('says what did not answer, and that it may have happened: a create is not sent again', async () => {
    const { caller, transport, clock } = aCaller('hang');
    const failed = caller.call(CREATE).catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ reason: 'Timeout', message: 'POST /x: 504 Timeout: no answer within 30 s' });
    expect([transport.journal.length, clock.pending]).toEqual([1, 0]);
  });

  test('covers the body of the answer too', async () => {
    const transport = slowBody();
    const { caller, clock } = aCaller(ok, { transport });
    const failed = caller.call({ ...CREATE, timeoutMs: 300 }).catch((error: unknown) => error);
    await clock.advance(300);
    expect(await failed).toMatchObject({ reason: 'Timeout' });
  });

  test('covers finding out who we are, which may hang', async () => {
    const { caller, clock, transport } = aCaller(ok, { authorize: () => new Promise(() => {}) });
    const failed = caller.call({ ...CREATE, timeoutMs: 300 }).catch((error: unknown) => error);
    await clock.advance(300);
    expect(await failed).toMatchObject({ reason: 'Timeout' });
    expect(transport.journal).toHaveLength(0);
  });

  test('does not begin before the rate limit lets the call go', async () => {
    const clock = new VirtualClock();
    const limiter = new RateLimiter(clock, { perSecond: 0.01, burst: 1 });
    const { caller, transport } = aCaller(ok, { clock, limiter });
    await caller.call(GET);
    const done = caller.call(GET);
    const opened = caller.open({ ...GET, signal: new AbortController().signal });
    await clock.advance(99_999);
    expect(transport.journal).toHaveLength(1);
    await clock.advance(1);
    expect(await done).toBe('fine');
    expect(transport.journal).toHaveLength(2);
    await clock.advance(100_000);
    expect((await opened).status).toBe(200);
  });

  test('does not end a stream that was opened in time', async () => {
    const { caller, clock } = aCaller(answer(200, 'stream'));
    const stop = new AbortController();
    const response = await caller.open({ ...GET, signal: stop.signal });
    await clock.advance(3_600_000);
    expect(await response.text()).toBe('stream');
    expect(clock.pending).toBe(0);
  });

  test('ends a stream that is not opened in time', async () => {
    const { caller, clock } = aCaller('hang');
    const failed = caller.open({ ...GET, signal: new AbortController().signal }).catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ reason: 'Timeout' });
  });
});

describe('an identity that the server does not accept', () => {
  test('is found out anew once, and the call succeeds with it, also a create', async () => {
    for (const call of [GET, CREATE]) {
      const { caller, transport } = aCaller([unauthorized, ok], { authorize: token('t') });
      expect(await caller.call(call)).toBe('fine');
      expect(transport.journal.map(({ headers }) => headers.authorization)).toEqual(['Bearer t0', 'Bearer t1']);
    }
  });

  test('is not found out a third time', async () => {
    const { caller, transport } = aCaller(unauthorized, { authorize: token('t') });
    await expect(caller.call(GET)).rejects.toMatchObject({ reason: 'Unauthorized' });
    expect(transport.journal).toHaveLength(2);
  });

  test('is told at once when there is no way to find it out', async () => {
    const { caller, transport } = aCaller(unauthorized);
    await expect(caller.call(GET)).rejects.toMatchObject({ reason: 'Unauthorized' });
    expect(transport.journal).toHaveLength(1);
  });

  test('is found out anew for a stream as well', async () => {
    const { caller, transport } = aCaller([unauthorized, ok], { authorize: token('t') });
    await caller.open({ ...GET, signal: new AbortController().signal });
    expect(transport.journal).toHaveLength(2);
  });

  test('that cannot be found out fails the call with that error, and nothing is sent', async () => {
    const { caller, transport } = aCaller(ok, { authorize: () => Promise.reject(new Error('no token file')) });
    await expect(caller.call(GET)).rejects.toThrow('no token file');
    expect(transport.journal).toHaveLength(0);
  });
});

describe('a closed gate', () => {
  const shut = () => {
    throw new Error('not leading');
  };

  test('lets reads and questions through, and no write', async () => {
    const { caller, transport } = aCaller(ok);
    const gated = caller.gatedBy({ check: shut });
    await gated.call(GET);
    await gated.call(REVIEW);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      await expect(gated.call({ ...CREATE, method })).rejects.toThrow('not leading');
    }
    expect(transport.journal.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test('that closes in the pause before a retry keeps the retry from being sent', async () => {
    const { caller, transport, clock } = aCaller([busy, ok]);
    let isOpen = true;
    const gated = caller.gatedBy({ check: () => void (isOpen || shut()) });
    const failed = gated.call(CREATE).catch((error: unknown) => error);
    await settled();
    isOpen = false;
    await clock.advance(5_000);
    expect(await failed).toMatchObject({ message: 'not leading' });
    expect(transport.journal).toHaveLength(1);
  });

  test('that closes while a new identity is found out keeps the second request from being sent', async () => {
    let isOpen = true;
    const authorize = async (refresh: boolean) => {
      isOpen = !refresh;
      return {};
    };
    const { caller, transport } = aCaller([unauthorized, ok], { authorize });
    const gated = caller.gatedBy({ check: () => void (isOpen || shut()) });
    await expect(gated.call(CREATE)).rejects.toThrow('not leading');
    expect(transport.journal).toHaveLength(1);
  });

  test('does not bind the client that it was made from', async () => {
    const { caller } = aCaller(ok);
    caller.gatedBy({ check: shut });
    expect(await caller.call(CREATE)).toBe('fine');
  });
});

describe('whoever counts calls', () => {
  test('is told of each request: its answer or that there was none, and how long it took', async () => {
    const records: CallRecord[] = [];
    const { caller, clock } = aCaller([reset, busy, ok], { onCall: (record) => void records.push(record) });
    const done = caller.call(GET);
    await clock.advance(10_000);
    await done;
    expect(records.map(({ method, path, code }) => `${method} ${path} ${code}`)).toEqual([
      ...['GET /x <error>', 'GET /x 429', 'GET /x 200'],
    ]);
  });

  test('is told what time the server says it is, if it says so', async () => {
    const records: CallRecord[] = [];
    const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
    const { caller } = aCaller([{ ...ok, headers: { date } }, ok], { onCall: (record) => void records.push(record) });
    await caller.call(GET);
    await caller.call(GET);
    expect(records.map((record) => record.date)).toEqual([date, undefined]);
  });

  test('is told how long it took', async () => {
    const records: CallRecord[] = [];
    const { caller, clock } = aCaller('hang', { onCall: (record) => void records.push(record) });
    const failed = caller.call({ ...CREATE, timeoutMs: 1_500 }).catch(() => undefined);
    await clock.advance(1_500);
    await failed;
    expect(records).toEqual([{ method: 'POST', path: '/x', code: '<error>', seconds: 1.5 }]);
  });
});

/** Gives a new token for each refusal. */
function token(name: string): (refresh: boolean) => Promise<Record<string, string>> {
  let count = 0;
  return async (refresh) => {
    if (refresh) count += 1;
    return { authorization: `Bearer ${name}${count}` };
  };
}

function aCaller(script: Script | readonly Script[], options: Partial<CallerOptions> = {}) {
  const clock = (options.clock as VirtualClock | undefined) ?? new VirtualClock();
  const transport = new FakeTransport();
  const scripts = Array.isArray(script) ? script : [script];
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) transport.on(method, '/x', ...scripts);
  return { clock, transport, caller: new Caller({ transport, random: () => 0.5, ...options, clock }) };
}

/** Answers at once, with a body that never comes. */
function slowBody(): Transport {
  return {
    async request({ signal }) {
      const text = () =>
        new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
        );
      return { status: 200, header: () => undefined, text, body: (async function* () {})() };
    },
    close: async () => undefined,
  };
}

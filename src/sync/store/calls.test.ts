import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { failureOf } from '../../kit/failure-of.ts';
import { type Call, Calls, STALLED_MS, type Work } from './calls.ts';
import { failure } from './failure.ts';

const never = new Promise<never>(() => {});

function aCall() {
  const clock = new VirtualClock();
  const controller = new AbortController();
  const calls = new Calls(
    clock,
    () => 1,
    () => ({ fault: 'unavailable', why: 'it broke' }),
  );
  const call: Call = { doing: 'read', key: 'a', where: 'the store', signal: controller.signal };
  return { clock, controller, calls, call };
}

/** Fails so many times, and counts how often it was asked. */
const failing = (times: number): { readonly work: Work<string>; asked: number } => {
  const state = {
    asked: 0,
    async work() {
      state.asked += 1;
      if (state.asked <= times) throw new Error('broken');
      return 'done';
    },
  };
  return state;
};

test('what changes nothing is tried again when the store was not there', async () => {
  const { clock, calls, call } = aCall();
  const { work } = failing(2);
  const done = calls.again(call, work);
  await clock.advance(10_000);
  expect(await done).toBe('done');
});

test('it is given up after a few tries', async () => {
  const { clock, calls, call } = aCall();
  const tried = failing(Number.POSITIVE_INFINITY);
  const error = failureOf(() => calls.again(call, tried.work));
  await clock.advance(60_000);
  expect(await error).toMatchObject({
    fault: 'unavailable',
    message: expect.stringContaining('cannot read "a" in the store: it broke'),
  });
  expect(tried.asked).toBe(3);
});

test('what is not the fault of the moment is not tried again', async () => {
  const { calls, call } = aCall();
  let asked = 0;
  const refused = calls.again(call, async () => {
    asked += 1;
    throw failure('denied', call, 'no');
  });
  await expect(refused).rejects.toMatchObject({ fault: 'denied' });
  expect(asked).toBe(1);
});

test('a write is tried once: a second try could take our own success for somebody else’s', async () => {
  const { calls, call } = aCall();
  const tried = failing(1);
  await expect(calls.once(call, tried.work)).rejects.toMatchObject({ fault: 'unavailable' });
  expect(tried.asked).toBe(1);
});

test('a call that stalls is given up', async () => {
  const { clock, calls, call } = aCall();
  const error = failureOf(() => calls.once(call, () => never));
  await clock.advance(STALLED_MS);
  expect(await error).toMatchObject({
    fault: 'unavailable',
    message: expect.stringContaining('nothing has come for 30 seconds'),
  });
});

test('a call to which something comes now and then goes on', async () => {
  const { clock, calls, call } = aCall();
  const last = Promise.withResolvers<string>();
  const done = calls.once(call, (_, alive) => {
    for (let at = 1; at < 10; at++) clock.after(at * (STALLED_MS - 1), alive);
    clock.after(10 * (STALLED_MS - 1), () => last.resolve('done'));
    return last.promise;
  });
  await clock.advance(10 * STALLED_MS);
  expect(await done).toBe('done');
});

test('a large body has longer to be sent', async () => {
  const { clock, calls, call } = aCall();
  const sent = Promise.withResolvers<string>();
  const done = calls.once({ ...call, bytes: 64_000_000 }, () => sent.promise);
  await clock.advance(STALLED_MS + 900_000);
  sent.resolve('done');
  expect(await done).toBe('done');
});

test.each(['once', 'again'] as const)('who gives up hears what it gave up for (%s)', async (how) => {
  const { controller, calls, call } = aCall();
  let seen: AbortSignal | undefined;
  const waiting = calls[how](call, (signal) => {
    seen = signal;
    return never;
  });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(seen?.aborted).toBe(true);
});

test('no timer is left of a call that has ended', async () => {
  const { clock, calls, call } = aCall();
  await calls.once(call, async (_, alive) => alive());
  expect(clock.pending).toBe(0);
});

test('what the SDK has thrown is told without the request in it', async () => {
  const { calls, call } = aCall();
  const thrown = Object.assign(new Error('broken'), { request: { headers: { authorization: 'a secret' } } });
  const error = await failureOf(() => calls.once(call, () => Promise.reject(thrown)));
  expect(error?.cause).toMatchObject({ message: 'broken' });
  expect(error?.cause).not.toHaveProperty('request');
});

test('what the SDK has thrown is told without the password of a proxy', async () => {
  const { calls, call } = aCall();
  const thrown = new Error('no tunnel via http://user:s3cret%2F@proxy.test:3128/: 407');
  const error = await failureOf(() => calls.once(call, () => Promise.reject(thrown)));
  const cause = error?.cause instanceof Error ? error.cause : expect.unreachable();
  expect(cause.message).toBe('no tunnel via http://…@proxy.test:3128/: 407');
  expect(`${error?.message} ${cause.stack}`).not.toContain('s3cret');
});

import { describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { DoesNotAnswer, Patience } from './patience.ts';

const WITHIN = { withinMs: 1_000 };
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

function aPatience(most = 2) {
  const clock = new VirtualClock();
  return { clock, patience: new Patience(clock, most) };
}

/** Asks for something that does not answer until it is told to. */
async function hanging({ clock, patience }: ReturnType<typeof aPatience>, what: string, putAway = vi.fn()) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const failure = failureOf(patience.ask(what, () => promise, { ...WITHIN, putAway }));
  await clock.advance(WITHIN.withinMs);
  return { failure: await failure, resolve, reject, putAway };
}

describe('what answers in time', () => {
  it('is what it answers, or how it fails', async () => {
    const { patience } = aPatience();
    expect(await patience.ask('a disk', async () => 'well', WITHIN)).toBe('well');
    const error = new Error('it fails');
    expect(await failureOf(patience.ask('a disk', () => Promise.reject(error), WITHIN))).toBe(error);
  });
});

describe('what does not answer', () => {
  it('is given up, and is not asked a second time as long as that lasts', async () => {
    const world = aPatience();
    const { failure, resolve } = await hanging(world, 'a disk');
    expect(failure).toBeInstanceOf(DoesNotAnswer);
    expect(failure).toMatchObject({ forMs: 1_000, message: 'a disk has not answered for 1 seconds' });
    await world.clock.advance(4_000);
    const again = vi.fn(async () => 'well');
    expect(await failureOf(world.patience.ask('a disk', again, WITHIN))).toMatchObject({ forMs: 5_000 });
    expect(again).not.toHaveBeenCalled();
    resolve('late');
    await world.clock.advance(0);
    expect(await world.patience.ask('a disk', again, WITHIN)).toBe('well');
  });

  it.each(['resolve', 'reject'] as const)('is put away when it %ss after all', async (end) => {
    const world = aPatience();
    const { [end]: finish, putAway } = await hanging(world, 'a disk');
    expect(putAway).not.toHaveBeenCalled();
    finish('late');
    await world.clock.advance(0);
    expect(putAway.mock.calls).toEqual([[end === 'resolve' ? 'late' : undefined]]);
  });

  it('does not keep anything else from being asked, until too many do not', async () => {
    const world = aPatience(2);
    await hanging(world, 'one disk');
    expect(await world.patience.ask('a third', async () => 'well', WITHIN)).toBe('well');
    const { resolve } = await hanging(world, 'another');
    const [ask, putAway] = [vi.fn(async () => 'well'), vi.fn()];
    expect(await failureOf(world.patience.ask('a third', ask, { ...WITHIN, putAway }))).toMatchObject({
      forMs: undefined,
      message: 'so many other things do not answer that a third was not looked at',
    });
    expect([ask.mock.calls, putAway.mock.calls]).toEqual([[], [[undefined]]]);
    resolve('late');
    await world.clock.advance(0);
    expect(await world.patience.ask('a third', ask, WITHIN)).toBe('well');
  });

  it('but has begun already is waited for as long, however many others hang', async () => {
    const world = aPatience(1);
    await hanging(world, 'a disk');
    expect(await world.patience.wait('another', Promise.resolve('closed'), WITHIN)).toBe('closed');
  });
});

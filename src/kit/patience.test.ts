import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { VirtualClock } from './clock/virtual.ts';
import { DoesNotAnswer, Patience } from './patience.ts';
import { hangsToBear } from './wipe/thread-pool.ts';

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

  it('is asked once by all who ask the same at the same time', async () => {
    const { clock, patience } = aPatience();
    const look = vi.fn(() => new Promise<string>(() => {}));
    const failures = Promise.all([1, 2, 3].map(() => failureOf(patience.share('a path', look, WITHIN))));
    await clock.advance(WITHIN.withinMs);
    expect(await failures).toEqual([1, 2, 3].map(() => expect.any(DoesNotAnswer)));
    expect(await failureOf(patience.share('a path', look, WITHIN))).toBeInstanceOf(DoesNotAnswer);
    expect(look).toHaveBeenCalledTimes(1);
    expect(await patience.share('another', async () => 'well', WITHIN)).toBe('well');
  });

  it('but has begun already is waited for as long, however many others hang', async () => {
    const world = aPatience(1);
    await hanging(world, 'a disk');
    expect(await world.patience.wait('another', Promise.resolve('closed'), WITHIN)).toBe('closed');
  });
});

describe('calls of the system that hang', () => {
  it('leave room for others, and what they open late is closed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'patience-'));
    const [one, other, third] = ['one', 'other', 'third'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    await promisify(execFile)('mkfifo', [one, other, third]);
    const { clock, patience } = aPatience(hangsToBear({}));
    const closed: Promise<void>[] = [];
    const putAway = (late: FileHandle | undefined) => late && closed.push(late.close());
    const asked = (path: string) =>
      failureOf(patience.ask(path, () => open(path, constants.O_RDONLY), { ...WITHIN, putAway }));
    try {
      const failures = [asked(one), asked(other)];
      await clock.advance(WITHIN.withinMs);
      expect(await Promise.all(failures)).toMatchObject([{ forMs: 1_000 }, { forMs: 1_000 }]);
      expect(await asked(third)).toMatchObject({ forMs: undefined });
      expect(await readdir(directory)).toHaveLength(3);
    } finally {
      for (const path of [one, other]) await (await open(path, constants.O_RDWR)).close();
      await vi.waitFor(() => expect(closed).toHaveLength(2));
      await Promise.all(closed);
      await rm(directory, { recursive: true });
    }
  });
});

import { describe, expect, it } from 'vitest';
import { VirtualClock } from './clock/virtual.ts';
import { Rounds } from './rounds.ts';

function aRound() {
  const clock = new VirtualClock();
  const rounds = new Rounds({ clock, settleMs: 5, gatherMs: 5, patienceMs: 1_000 });
  const served: string[][] = [];
  const look = rounds.desk(async (items: readonly string[]) => {
    served.push([...items]);
    return items.map((item) => item.toUpperCase());
  });
  return { clock, rounds, served, look };
}

describe('rounds', () => {
  it('serve all who ask at about the same time together, each with its own answer', async () => {
    const { clock, rounds, served, look } = aRound();
    using _a = rounds.join();
    using _b = rounds.join();
    const answers = Promise.all([look('a'), look('b')]);
    await clock.advance(5);
    expect(await answers).toEqual(['A', 'B']);
    expect(served).toEqual([['a', 'b']]);
  });

  it('wait for who takes part and is busy, until it asks as well', async () => {
    const { clock, rounds, served, look } = aRound();
    using _a = rounds.join();
    using _b = rounds.join();
    void look('a');
    await clock.advance(500);
    expect(served).toEqual([]);
    void look('b');
    await clock.advance(5);
    expect(served).toEqual([['a', 'b']]);
  });

  it('wait for who comes while they settle', async () => {
    const { clock, rounds, served, look } = aRound();
    using _a = rounds.join();
    void look('a');
    await clock.advance(4);
    using _b = rounds.join();
    await clock.advance(10);
    expect(served).toEqual([]);
    void look('b');
    await clock.advance(4);
    using _c = rounds.join();
    void look('c');
    await clock.advance(4);
    expect(served).toEqual([]);
    await clock.advance(1);
    expect(served).toEqual([['a', 'b', 'c']]);
  });

  it('wait longer when somebody has just come, since others may follow, and only then', async () => {
    const clock = new VirtualClock();
    const rounds = new Rounds({ clock, settleMs: 5, gatherMs: 50 });
    const served: string[][] = [];
    const look = rounds.desk(async (items: readonly string[]) => {
      served.push([...items]);
      return items;
    });
    using _a = rounds.join();
    void look('a');
    await clock.advance(49);
    using _b = rounds.join();
    void look('b');
    await clock.advance(49);
    expect(served).toEqual([]);
    await clock.advance(1);
    expect(served).toEqual([['a', 'b']]);
    void look('a');
    void look('b');
    await clock.advance(5);
    expect(served).toHaveLength(2);
  });

  it('wait no longer than a few times that when somebody comes again and again', async () => {
    const clock = new VirtualClock();
    const rounds = new Rounds({ clock, settleMs: 5, gatherMs: 50, patienceMs: 5_000 });
    const servedAt: number[] = [];
    const look = rounds.desk(async (items: readonly string[]) => {
      servedAt.push(clock.monotonic() - start);
      return items;
    });
    const start = clock.monotonic();
    using here = new DisposableStack();
    for (let ms = 0; ms < 6_000; ms += 49) {
      here.use(rounds.join());
      void look(`${ms}`);
      await clock.advance(49);
    }
    expect(servedAt[0]).toBe(250);
  });

  it('wait for nobody who has left, or is away', async () => {
    const { clock, rounds, served, look } = aRound();
    using _a = rounds.join();
    const b = rounds.join();
    using _c = rounds.join();
    const longWork = Promise.withResolvers<void>();
    const away = rounds.away(() => longWork.promise);
    void look('a');
    b[Symbol.dispose]();
    b[Symbol.dispose]();
    await clock.advance(5);
    expect(served).toEqual([['a']]);
    longWork.resolve();
    await away;
    void look('a');
    await clock.advance(5);
    expect(served).toHaveLength(1);
  });

  it('wait no longer than patience lasts', async () => {
    const { clock, rounds, served, look } = aRound();
    using _a = rounds.join();
    using _b = rounds.join();
    void look('a');
    await clock.advance(999);
    expect(served).toEqual([]);
    await clock.advance(1);
    expect(served).toEqual([['a']]);
  });

  it('serve who asks while others are served in the next round', async () => {
    const clock = new VirtualClock();
    const rounds = new Rounds({ clock, gatherMs: 5 });
    const served: number[][] = [];
    const gate = Promise.withResolvers<void>();
    const look = rounds.desk(async (items: readonly number[]) => {
      served.push([...items]);
      await gate.promise;
      return items;
    });
    using _a = rounds.join();
    void look(1);
    await clock.advance(5);
    using _b = rounds.join();
    void look(2);
    await clock.advance(5_000);
    expect(served).toEqual([[1]]);
    gate.resolve();
    await clock.advance(5_000);
    expect(served).toEqual([[1], [2]]);
  });

  it('serve the desk that was made first before the others', async () => {
    const clock = new VirtualClock();
    const rounds = new Rounds({ clock, gatherMs: 5 });
    const order: string[] = [];
    const tag = rounds.desk(async (items: readonly string[]) => {
      order.push(`tag ${items}`);
      return items;
    });
    const look = rounds.desk(async (items: readonly string[]) => {
      order.push(`look ${items}`);
      return items;
    });
    using _a = rounds.join();
    using _b = rounds.join();
    void look('a');
    void tag('b').then(() => look('b'));
    await clock.advance(100);
    expect(order).toEqual(['tag b', 'look a,b']);
  });

  it('tell everyone who asked of a failure, and go on', async () => {
    const clock = new VirtualClock();
    const rounds = new Rounds({ clock, gatherMs: 5 });
    let isBroken = true;
    const look = rounds.desk(async (items: readonly string[]) => {
      if (isBroken) throw new Error('no answer');
      return items;
    });
    using _a = rounds.join();
    using _b = rounds.join();
    const first = Promise.allSettled([look('a'), look('b')]);
    await clock.advance(5);
    expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    const second = Promise.all([look('a'), look('b')]);
    await clock.advance(5);
    expect(await second).toEqual(['a', 'b']);
  });

  it('serve others while what takes long is under way, and wait for nobody whom it is done for', async () => {
    const { clock, rounds, served, look } = aRound();
    const done = Promise.withResolvers<string>();
    const begin = rounds.desk(async (items: readonly string[]) => items.map(() => ({ ended: done.promise })));
    const format = async (item: string) => {
      const { ended } = await begin(item);
      return await rounds.away(() => ended);
    };
    using _a = rounds.join();
    using _b = rounds.join();
    const formatted = Promise.all([format('a'), format('b')]);
    await clock.advance(5);
    using _c = rounds.join();
    for (const turn of [1, 2]) {
      void look('c');
      await clock.advance(5);
      expect(served).toHaveLength(turn);
    }
    done.resolve('done');
    expect(await formatted).toEqual(['done', 'done']);
    void look('c');
    await clock.advance(500);
    expect(served).toHaveLength(2);
  });
});

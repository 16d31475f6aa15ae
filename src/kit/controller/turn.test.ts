import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { Retry } from './outcome.ts';
import { Turn } from './turn.ts';

function aTurn() {
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const giveUp = new AbortController();
  const turn = new Turn({ key: 'default/web', clock, log, deadlineMs: 120_000, givenUp: giveUp.signal });
  return { turn, clock, log, giveUp };
}

describe('the signal of a turn', () => {
  test('is aborted by the deadline of the turn, however late it is asked for', async () => {
    const { turn, clock } = aTurn();
    await clock.advance(100_000);
    const { signal } = turn;
    await clock.advance(19_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toEqual(new Retry('it took longer than 120 s'));
  });

  test('is aborted already where the deadline is over', async () => {
    const { turn, clock } = aTurn();
    await clock.advance(120_000);
    expect(() => turn.signal.throwIfAborted()).toThrow('it took longer than 120 s');
    expect(turn.isOverdue).toBe(true);
  });

  test('is aborted when all is given up, before and after it was asked for', () => {
    for (const askFirst of [true, false]) {
      const { turn, giveUp } = aTurn();
      if (askFirst) expect(turn.signal.aborted).toBe(false);
      giveUp.abort(new Error('the process ends'));
      expect(turn.signal.reason).toEqual(new Error('the process ends'));
    }
  });

  test('of a turn that has ended is left alone, whenever it is asked for', async () => {
    for (const askFirst of [true, false]) {
      const { turn, clock, giveUp } = aTurn();
      if (askFirst) expect(turn.signal.aborted).toBe(false);
      turn.end();
      const { signal } = turn;
      expect(clock.pending).toBe(0);
      await clock.advance(200_000);
      giveUp.abort();
      expect(signal.aborted).toBe(false);
    }
  });
});

test('the log of a turn names its key', () => {
  const { turn, log } = aTurn();
  turn.log.info('looked at');
  expect(log.lines).toMatchObject([{ message: 'looked at', fields: { key: 'default/web' } }]);
});

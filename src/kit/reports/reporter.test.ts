import { describe, expect, it } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { Reporter } from './reporter.ts';

const HOUR = 3_600_000;

function aReporter() {
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const listeners = new Set<() => void>();
  const changes: string[] = [];
  /** What was known each time that it was written. */
  const written: string[][] = [];
  const refusal: { why?: string; isSilence?: boolean } = {};
  const stop = new AbortController();
  const reporter = new Reporter({
    job: 'sample',
    clock,
    log,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    write: async (signal) => {
      written.push([...changes]);
      if (refusal.isSilence) await sleep(clock, HOUR, signal);
      if (refusal.why !== undefined) throw new Error(refusal.why);
    },
  });
  const ended = reporter.run(stop.signal);
  const change = (what: string) => {
    changes.push(what);
    for (const listener of listeners) listener();
  };
  return { clock, log, written, refusal, change, stop, ended };
}

describe('the report of a node', () => {
  it('is written a second after a change, with all changes of that second', async () => {
    const { clock, written, change } = aReporter();
    change('a');
    await clock.advance(500);
    change('b');
    await clock.advance(499);
    expect(written).toEqual([]);
    await clock.advance(1);
    expect(written).toEqual([['a', 'b']]);
  });

  it('is not written oftener than every ten seconds, and the last change is not lost', async () => {
    const { clock, written, change } = aReporter();
    for (let second = 0; second < 60; second++) {
      change(`${second}`);
      await clock.advance(1_000);
    }
    expect(written).toHaveLength(6);
    await clock.advance(10_000);
    expect(written.at(-1)).toContain('59');
    await clock.advance(60_000);
    expect(written).toHaveLength(7);
  });

  it('is written every five minutes although nothing changes, so that it can be seen that we live', async () => {
    const { clock, written } = aReporter();
    await clock.advance(301_000);
    expect(written).toHaveLength(1);
    await clock.advance(310_000);
    expect(written).toHaveLength(2);
  });

  it('that cannot be written is said once in an hour, and is tried again', async () => {
    const { clock, written, refusal, change, log } = aReporter();
    refusal.why = 'no';
    for (let minute = 0; minute < 30; minute++) {
      change(`${minute}`);
      await clock.advance(60_000);
    }
    expect(log.at('warn')).toHaveLength(1);
    expect(written.length).toBeGreaterThan(20);
    await clock.advance(HOUR);
    expect(log.at('warn')).toHaveLength(2);
  });

  it('that is being written at the end is let go without a complaint', async () => {
    const { clock, written, refusal, change, stop, ended, log } = aReporter();
    refusal.isSilence = true;
    change('a');
    await clock.advance(1_000);
    expect(written).toHaveLength(1);
    stop.abort(new Error('the process ends'));
    await ended;
    expect(log.at('warn')).toEqual([]);
  });

  it('is written no more after the end', async () => {
    const { clock, written, change, stop, ended } = aReporter();
    change('a');
    stop.abort(new Error('the process ends'));
    await ended;
    change('b');
    await clock.advance(HOUR);
    expect(written).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

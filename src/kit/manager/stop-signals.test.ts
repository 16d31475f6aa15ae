import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { stopSignals } from './stop-signals.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

describe('stop signals', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('the first %s asks for the end and says which it was', (name) => {
    const source = new FakeProcess();
    const told: string[] = [];
    const stop = stopSignals(source, (signal) => told.push(signal));
    expect(stop.signal.aborted).toBe(false);
    source.emit(name);
    expect(stop.signal.aborted).toBe(true);
    expect(stop.signal.reason.message).toBe(`${name} was received`);
    expect(told).toEqual([name]);
    expect(source.exits).toEqual([]);
  });

  test.each([
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
    ['SIGINT', 'SIGTERM', 143],
    ['SIGINT', 'SIGHUP', 129],
  ])('after %s, %s ends the process at once with the code of that signal', (first, second, code) => {
    const source = new FakeProcess();
    const told: string[] = [];
    stopSignals(source, (signal) => told.push(signal));
    source.emit(first);
    source.emit(second);
    expect(source.exits).toEqual([code]);
    expect(told).toEqual([first]);
  });

  test('the end is asked for even when telling of it fails', () => {
    const source = new FakeProcess();
    const stop = stopSignals(source, () => {
      throw new Error('the log is closed');
    });
    expect(() => source.emit('SIGTERM')).toThrow('the log is closed');
    expect(stop.signal.aborted).toBe(true);
  });

  test('nothing listens any more after it was disposed of', () => {
    const source = new FakeProcess();
    const stop = stopSignals(source, () => {});
    stop[Symbol.dispose]();
    source.emit('SIGTERM');
    expect(stop.signal.aborted).toBe(false);
    expect(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT')).toBe(0);
  });
});

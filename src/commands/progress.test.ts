import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { aTerminal } from './line/recorded-terminal.ts';
import { progressOn } from './progress.ts';

test('short work says nothing, long work something every other second', () => {
  const clock = new VirtualClock();
  const terminal = aTerminal();
  const tell = progressOn(terminal, clock);
  for (let second = 0; second < 7; second++) {
    tell(`${second} done`);
    clock.leap(1_000);
  }
  expect(terminal.written.err).toBe('2 done\n4 done\n6 done\n');
});

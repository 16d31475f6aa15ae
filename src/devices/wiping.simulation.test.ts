/** Wipes that are struck at each of their calls: none is taken for complete that is not, and the next attempt completes it. */
import { describe, expect, it } from 'vitest';
import type { Fault } from '../kit/host/simulated/faults.ts';
import type { SimulatedWipe } from './simulated-wipe.ts';
import { aWipe, expectClean, SMALL, WAYS, type Way } from './ways-of-wiping.ts';

describe('a fault at any call', () => {
  const faults: readonly Fault[] = [{ kind: 'fail' }, { kind: 'fail-after' }];

  it.each(WAYS)(
    'of a wipe by $name fails it, nothing is written afterwards, and the next attempt completes it',
    async (way) => {
      const calls = await callsOf(way);
      for (const fault of faults)
        for (let call = 1; call <= calls; call++) {
          const wipe = struckAt(call, fault, way);
          const failure = await wipe.toItsEnd(way).then(
            () => undefined,
            (error: Error) => error,
          );
          expect(failure?.name).toMatch(/^(DeviceError|FileError)$/);
          const before = wipe.machine.journal.length;
          await wipe.clock.advance(120_000);
          expect(wipe.machine.journal.length).toBe(before);
          await wipe.toItsEnd(way);
          expectClean(wipe, way.method);
        }
    },
  );
});

describe('a process that is killed at any call', () => {
  const kills: readonly Fault[] = [{ kind: 'crash-before' }, { kind: 'crash-after' }];

  it.each(WAYS)(
    'while it wipes by $name is followed by one that completes it, with or without a power cut',
    async (way) => {
      const calls = await callsOf(way);
      for (const fault of kills)
        for (const losesPower of [false, true])
          for (let call = 1; call <= calls; call++) {
            const wipe = struckAt(call, fault, way);
            expect(await wipe.toItsEnd(way)).toBe('killed');
            if (losesPower) wipe.machine.losePower();
            await wipe.clock.advance(120_000); // what the kernel was told ends without us
            await wipe.toItsEnd(way);
            expectClean(wipe, way.method);
          }
    },
  );
});

async function callsOf(way: Way): Promise<number> {
  const wipe = aWipe(way.method, SMALL, way.facts);
  await wipe.toItsEnd(way);
  const records = wipe.machine.journal.filter(({ verb }) => verb === 'file.write').length;
  expect(records).toBeGreaterThan(3);
  return wipe.machine.faults.calls;
}

function struckAt(call: number, fault: Fault, { method, facts }: Way): SimulatedWipe {
  const wipe = aWipe(method, SMALL, facts);
  wipe.machine.faults.at(call, fault);
  return wipe;
}

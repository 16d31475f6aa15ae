import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sandboxVersion } from '../../api/sandbox-version.ts';
import { leastSkew, skewOf } from '../../kit/clock/skew.ts';
import { aCluster, NOW, seen, told } from '../builders.ts';
import { clocksAgree } from './clock-skew.ts';

const at = NOW.getTime();
const judged = (serverAheadMs: number, tripMs = 20) =>
  clocksAgree.judge(
    aCluster({
      clock: seen({ date: new Date(at + serverAheadMs).toUTCString(), sentMs: at - tripMs, receivedMs: at }),
    }),
  );

test.each([
  [0, 'ok'],
  [1_000, 'ok'],
  [3_000, 'warning: clock of this machine: it is at least 3 seconds behind the clock of the API server'],
  [-5_000, 'warning: clock of this machine: it is at least 3 seconds ahead of the clock of the API server'],
  [60_000, 'error: clock of this machine: it is at least 60 seconds behind the clock of the API server'],
  [-600_000, 'error: clock of this machine: it is at least 9 minutes ahead of the clock of the API server'],
])('a server that is %i ms ahead', (ahead, said) => {
  const verdict = judged(ahead);
  expect(verdict.is === 'ok' ? ['ok'] : told(verdict)).toEqual([said]);
});

test('an answer that took long tells nothing, unless the clocks differ by more than that', () => {
  expect(judged(0, 30_000).is).toBe('unknown');
  expect(judged(120_000, 30_000).is).toBe('found');
});

test('a sandbox has a clock of its own, and is known by its version', () => {
  const clock = seen({ date: new Date(at + 60_000).toUTCString(), sentMs: at, receivedMs: at });
  const judgedAs = (version: string) => clocksAgree.judge(aCluster({ clock, server: seen(version) })).is;
  expect([judgedAs(sandboxVersion('v1.36.3')), judgedAs('v1.36.3')]).toEqual(['ok', 'found']);
});

test('an answer without a time tells nothing', () => {
  expect(clocksAgree.judge(aCluster({ clock: seen({ date: 'soon', sentMs: at, receivedMs: at }) })).is).toBe('unknown');
});

test('whatever the clocks and the way, the true difference is within what is said of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(60_000), fc.nat(60_000), (aheadMs, thereMs, backMs) => {
      const answered = at + thereMs + aheadMs;
      const skew = skewOf({ date: new Date(answered).toUTCString(), sentMs: at, receivedMs: at + thereMs + backMs });
      expect(skew).toBeDefined();
      if (!skew) return;
      expect(skew.fromMs).toBeLessThanOrEqual(aheadMs);
      expect(skew.toMs).toBeGreaterThanOrEqual(aheadMs);
      expect(Math.abs(leastSkew(skew))).toBeLessThanOrEqual(Math.abs(aheadMs));
    }),
  );
});

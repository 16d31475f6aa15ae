import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CEILING_MS, HEARTBEAT_MS, QUIET_MS, SCHEDULE_MS } from '../contract.ts';
import { decide, type Known } from './decide.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
/** So long ago. */
const ago = (ms: number): number => NOW - ms;
const known = (parts: Partial<Known>): Known => ({
  now: NOW,
  isComplete: true,
  last: { kind: 'writer', exportedAt: ago(1000), lookedAt: ago(1000) },
  ...parts,
});

describe('what a protected cluster does next', () => {
  test('is nothing before everything in scope was seen', () => {
    const changed = { first: ago(SCHEDULE_MS), last: ago(SCHEDULE_MS) };
    expect(decide({ now: NOW, isComplete: false, changed })).toEqual({ kind: 'refuse', fact: 'cachesAreIncomplete' });
  });

  test('is an export when it begins', () => {
    expect(decide({ now: NOW, isComplete: true })).toEqual({ kind: 'export', why: 'start' });
  });

  test('is an export once it has been quiet after a change', () => {
    const changed = { first: ago(QUIET_MS), last: ago(QUIET_MS) };
    expect(decide(known({ changed }))).toEqual({ kind: 'export', why: 'change' });
    expect(decide(known({ changed: { first: ago(1), last: ago(1) } }))).toEqual({ kind: 'wait', ms: QUIET_MS - 1 });
  });

  test('is an export when changes do not end', () => {
    const restless = (first: number) => known({ changed: { first, last: ago(1) } });
    expect(decide(restless(ago(CEILING_MS)))).toEqual({ kind: 'export', why: 'change' });
    expect(decide(restless(ago(CEILING_MS - 5)))).toEqual({ kind: 'wait', ms: 5 });
  });

  test('is to confirm once in a while when nothing changes', () => {
    const last = (ms: number) => ({ kind: 'writer', exportedAt: ago(ms), lookedAt: ago(ms) }) as const;
    expect(decide(known({ last: last(HEARTBEAT_MS) }))).toEqual({ kind: 'confirm' });
    expect(decide(known({ last: last(HEARTBEAT_MS - 7) }))).toEqual({ kind: 'wait', ms: 7 });
  });

  test('is not to confirm what has changed and is not exported yet', () => {
    const last = { kind: 'writer', exportedAt: ago(1000), lookedAt: ago(2 * HEARTBEAT_MS) } as const;
    const changed = { first: ago(1), last: ago(1) };
    expect(decide(known({ last, changed }))).toEqual({ kind: 'wait', ms: QUIET_MS - 1 });
  });

  test('is an export by the schedule although nothing changes', () => {
    const last = { kind: 'writer', exportedAt: ago(SCHEDULE_MS), lookedAt: ago(1) } as const;
    expect(decide(known({ last }))).toEqual({ kind: 'export', why: 'schedule' });
  });

  test('is no more than to look, for one that is barred', () => {
    const changed = { first: ago(SCHEDULE_MS), last: ago(SCHEDULE_MS) };
    const barred = (ms: number) => known({ changed, last: { kind: 'barred', lookedAt: ago(ms) } });
    expect(decide(barred(HEARTBEAT_MS))).toEqual({ kind: 'confirm' });
    expect(decide(barred(HEARTBEAT_MS - 3))).toEqual({ kind: 'wait', ms: 3 });
  });

  test('never waits for a time that lies ahead because the clock was set back', () => {
    const ahead = NOW + SCHEDULE_MS;
    const writer = (exportedAt: number, lookedAt: number) => known({ last: { kind: 'writer', exportedAt, lookedAt } });
    expect(decide(writer(ahead, ago(1)))).toEqual({ kind: 'export', why: 'schedule' });
    expect(decide(writer(ago(1), ahead))).toEqual({ kind: 'confirm' });
    expect(decide(known({ changed: { first: ahead, last: ahead } }))).toEqual({ kind: 'export', why: 'change' });
  });

  test('is never to wait for longer than until the next heartbeat, and something is due when that time has passed', () => {
    const time = fc.integer({ min: ago(2 * SCHEDULE_MS), max: NOW + SCHEDULE_MS });
    const changes = fc.option(
      fc.tuple(time, time).map(([first, last]) => ({ first, last })),
      { nil: undefined },
    );
    const last = fc.oneof(
      fc.record({ kind: fc.constant('writer' as const), exportedAt: time, lookedAt: time }),
      fc.record({ kind: fc.constant('barred' as const), lookedAt: time }),
    );
    fc.assert(
      fc.property(changes, last, (changed, look) => {
        const state = known({ ...(changed && { changed }), last: look });
        const decision = decide(state);
        if (decision.kind !== 'wait') return;
        expect(decision.ms).toBeGreaterThan(0);
        expect(decision.ms).toBeLessThanOrEqual(HEARTBEAT_MS);
        expect(decide({ ...state, now: NOW + decision.ms }).kind).not.toBe('wait');
      }),
    );
  });
});

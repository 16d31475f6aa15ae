import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { LeaseGate, NotLeading } from './lease-gate.ts';

describe('a lease gate', () => {
  test('is closed until it is opened', () => {
    const gate = new LeaseGate(new VirtualClock());
    expect(gate.open).toBe(false);
    expect(() => gate.check()).toThrow(NotLeading);
  });

  test('closes by itself after the time for which it was opened', async () => {
    const { gate, clock } = opened();
    await clock.advance(9_999);
    gate.check();
    await clock.advance(1);
    expect(() => gate.check()).toThrow('it writes nothing');
  });

  test('counts from when the time was taken, not from when it was opened', async () => {
    const clock = new VirtualClock();
    const gate = new LeaseGate(clock);
    const openFor = gate.fromNow();
    await clock.advance(4_000);
    openFor(10_000);
    expect(gate.openForMs).toBe(6_000);
  });

  test('is closed for a process that was stopped, before any of its timers has fired', () => {
    const { gate, clock } = opened();
    clock.leap(10_000);
    expect(gate.open).toBe(false);
  });

  test('is closed after a suspended machine wakes up, whose monotonic clock stood still', () => {
    const { gate, clock } = opened();
    clock.setNow(new Date(clock.now().getTime() + 10_000));
    expect(gate.open).toBe(false);
  });

  test('does not stay open for longer because the time of day was put back', async () => {
    const { gate, clock } = opened();
    clock.setNow(new Date(clock.now().getTime() - 3_600_000));
    await clock.advance(9_999);
    expect(gate.open).toBe(true);
    await clock.advance(1);
    expect(gate.open).toBe(false);
  });

  test('lets one last write through and is closed after it', () => {
    const { gate } = opened();
    gate.lastWrite.check();
    expect(gate.open).toBe(false);
    expect(() => gate.lastWrite.check()).toThrow(NotLeading);
  });

  test('can be closed at once', () => {
    const { gate } = opened();
    gate.close();
    expect(gate.open).toBe(false);
  });
});

function opened() {
  const clock = new VirtualClock();
  const gate = new LeaseGate(clock);
  gate.fromNow()(10_000);
  return { clock, gate };
}

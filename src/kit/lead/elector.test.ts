import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import type { TransportRequest } from '../kube/transport.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { type ElectionTiming, Elector } from './elector.ts';
import { SimulatedLease, SimulatedProcess, type Weather } from './simulated-lease.ts';

const HOUR = 3_600_000;

describe('an elector', () => {
  test('creates the lease when there is none, and leads', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(0);
    expect(a.leading).toBe(true);
    expect(a.elector.gate.open).toBe(true);
    expect(server.lease).toMatchObject({
      metadata: { namespace: 'ns', name: 'holdfast' },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
  });

  test('renews with one request every five seconds', async () => {
    const { world, server, candidate } = aCluster();
    candidate('a');
    await world.advance(15_000);
    expect(sentFrom(server, 0)).toEqual(['0 GET', '0 POST', '5000 PUT', '10000 PUT', '15000 PUT']);
  });

  test('leaves the lease alone while another renews it, however wrong the clocks of the two are', async () => {
    for (const skewMs of [-5 * HOUR, 5 * HOUR]) {
      const { world, server, candidate } = aCluster();
      candidate('a');
      await world.advance(0);
      const b = candidate('b', { skewMs });
      await world.advance(10 * 60_000);
      expect(b.leading).toBe(false);
      expect(server.writes.every((each) => each.from === 'a')).toBe(true);
    }
  });

  test('takes the lease of one that died after it has not changed for its whole duration', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(3_000);
    a.process.stop();
    const b = candidate('b', { skewMs: 7 * HOUR });
    await world.advance(14_999);
    expect(b.leading).toBe(false);
    await world.advance(2_001);
    expect(b.leading).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('that was stopped while it took the lease takes it again before it leads', async () => {
    const { world, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 0: { backMs: 500 }, 500: { backMs: 500 } }) });
    await world.advance(600);
    a.process.stop();
    await world.advance(30_000);
    a.process.continue();
    await world.advance(5_000);
    expect([a.leading, a.elector.gate.open]).toEqual([true, true]);
  });

  test('gives the lease back when it is told to stop, and the next candidate need not wait', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(5_000);
    const b = candidate('b');
    await world.advance(0);
    a.stop.abort();
    await world.advance(0);
    await expect(a.ended).resolves.toBe('done');
    expect(b.leading).toBe(true);
    expect(server.writes.map(({ from, holder }) => [from, holder])).toEqual([
      ['a', 'a'],
      ['a', 'a'],
      ['a', ''],
      ['b', 'b'],
    ]);
  });

  test('writes nothing more from the moment at which the release is sent', async () => {
    const { world, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 1000: { thereMs: 100, backMs: 100 } }) });
    await world.advance(1_000);
    a.stop.abort();
    await world.advance(10);
    expect(a.elector.gate.open).toBe(false);
    await world.advance(190);
    await expect(a.ended).resolves.toBe('done');
  });

  test('gives the lease back also when it was just being renewed', async () => {
    const { world, server, candidate } = aCluster();
    const slow = { thereMs: 300, backMs: 300 };
    const weather = atTimes(world, { 5000: slow });
    const a = candidate('a', { weather });
    await world.advance(5_400);
    expect(server.lease?.metadata.resourceVersion).toBe('2');
    a.stop.abort();
    await world.advance(0);
    await expect(a.ended).resolves.toBe('done');
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  test('keeps the lease until its work has ended, and closes the gate only after that', async () => {
    const { world, server, candidate } = aCluster();
    const work = Promise.withResolvers<void>();
    const a = candidate('a', { finish: () => work.promise });
    await world.advance(1_000);
    a.stop.abort();
    await world.advance(60_000);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    expect(a.elector.gate.open).toBe(true);
    work.resolve();
    await world.advance(0);
    await expect(a.ended).resolves.toBe('done');
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(a.elector.gate.open).toBe(false);
  });

  test('does not hold up the end for a lease that cannot be released', async () => {
    const { world, log, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 1000: { backMs: HOUR } }) });
    await world.advance(1_000);
    a.stop.abort();
    await world.advance(2_000);
    await expect(a.ended).resolves.toBe('done');
    expect(log.lines.at(-1)?.message).toContain('could not be released: it will run out');
    expect(world.pending).toBe(1);
  });

  test('writes nothing when it is told to stop while it waits', async () => {
    const { world, server, candidate } = aCluster();
    candidate('a');
    await world.advance(0);
    const b = candidate('b');
    await world.advance(5_000);
    b.stop.abort();
    await expect(b.ended).resolves.toBe('done');
    expect(server.writes.every((each) => each.from === 'a')).toBe(true);
  });

  test('lets one of three lead at a time, and each in its turn', async () => {
    const { world, candidate } = aCluster();
    const all = ['a', 'b', 'c'].map((name) => candidate(name));
    const leaders = () => all.filter((each) => each.leading).map((each) => each.process.name);
    const led: string[] = [];
    for (const _ of all) {
      await world.advance(3_000);
      const [leader = '', ...others] = leaders();
      expect(others).toEqual([]);
      led.push(leader);
      all.find((each) => each.process.name === leader)?.stop.abort();
    }
    expect(led.toSorted()).toEqual(['a', 'b', 'c']);
  });
});

describe('an elector that stands by', () => {
  const askedBy = ({ journal }: SimulatedLease, name: string) =>
    journal.filter(({ from }) => from === name).map(({ at, method }) => `${at} ${method}`);

  test('hears of renewals, and asks for nothing', async () => {
    const { world, server, candidate } = aCluster();
    candidate('a');
    await world.advance(0);
    const b = candidate('b');
    await world.advance(HOUR);
    expect(askedBy(server, 'b')).toEqual(['0 GET', '0 WATCH']);
    expect(b.elector.stuck()).toEqual([]);
  });

  test('asks when it has heard nothing for as long as the lease lasts, and does not take what was renewed', async () => {
    const { world, server, candidate } = aCluster();
    candidate('a');
    await world.advance(0);
    const b = candidate('b', { weather: ({ longLived }) => (longLived ? { backMs: HOUR } : {}) });
    await world.advance(31_000);
    expect(askedBy(server, 'b').filter((each) => each.endsWith('GET'))).toEqual(['0 GET', '15000 GET', '30000 GET']);
    expect(b.leading).toBe(false);
  });

  test('takes the lease of one that died exactly when it has heard nothing for as long as it lasts', async () => {
    const { world, candidate } = aCluster();
    const a = candidate('a');
    const b = candidate('b');
    await world.advance(21_000);
    a.process.stop();
    await world.advance(13_999);
    expect(b.leading).toBe(false);
    await world.advance(1);
    expect(b.leading).toBe(true);
  });

  test('takes a lease that was deleted at once', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    const b = candidate('b');
    await world.advance(6_000);
    a.process.stop();
    server.put(undefined);
    await world.advance(0);
    expect(b.leading).toBe(true);
  });

  test('asks every two seconds where it cannot watch, and says so once', async () => {
    const { world, server, log, candidate } = aCluster();
    candidate('a');
    await world.advance(0);
    candidate('b', { weather: ({ longLived }) => (longLived ? { trouble: 'unavailable' } : {}) });
    await world.advance(5_000);
    expect(askedBy(server, 'b').filter((each) => each.endsWith('GET'))).toEqual(['0 GET', '2000 GET', '4000 GET']);
    expect(log.at('warn').map((line) => line.message)).toEqual(['the lease cannot be watched: asking for it instead']);
  });
});

describe('a leader', () => {
  test('renews once more before its lease runs out when nobody answers the first time', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 5000: { thereMs: HOUR } }) });
    await world.advance(9_999);
    expect(sentFrom(server, 2_000)).toEqual(['5000 PUT', '7500 GET', '7500 PUT']);
    await world.advance(60_000);
    expect(a.leading).toBe(true);
  });

  test('trusts its lease from before the last renewal was sent, not from when its reply came', async () => {
    const { world, candidate } = aCluster();
    const weather = atTimes(world, { 5000: { thereMs: 1_000, backMs: 1_000 }, later: { thereMs: HOUR } });
    const a = candidate('a', { weather });
    await world.advance(7_000);
    expect(a.elector.gate.openForMs).toBe(8_000);
    await world.advance(7_999);
    expect(a.elector.gate.open).toBe(true);
    await world.advance(1);
    expect(a.elector.gate.open).toBe(false);
  });

  test('is told of the loss at the very moment when the gate closes', async () => {
    const { world, candidate } = aCluster();
    const weather = atTimes(world, { 0: { thereMs: 650, backMs: 650 }, later: { thereMs: HOUR } });
    const a = candidate('a', { weather });
    await world.advance(9_999);
    expect([a.leading, a.elector.gate.open]).toEqual([true, true]);
    await world.advance(1);
    expect([a.leading, a.elector.gate.open]).toEqual([false, false]);
    await expect(a.ended).resolves.toBe('lost');
  });

  test('goes on after a renewal whose reply was lost', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 5000: { trouble: 'reply lost' } }) });
    await world.advance(60_000);
    expect(a.leading).toBe(true);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });

  test('reads the lease when its own renewal is in its way, whose reply was lost, and goes on', async () => {
    const { world, server, candidate } = aCluster();
    const lost: Weather[] = [{ trouble: 'reply lost' }];
    const a = candidate('a', { weather: () => (world.monotonic() < 5_000 ? {} : (lost.pop() ?? {})) });
    await world.advance(12_000);
    // The client sends what may have happened once more; the version that it had tells the server that it has.
    expect(sentFrom(server, 2_000)).toEqual(['5000 PUT', '5000 PUT', '7000 GET', '7000 PUT', '12000 PUT']);
    expect([a.leading, a.elector.gate.open]).toEqual([true, true]);
  });

  test('goes on after a conflict with somebody who has changed the lease and left it to it', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(1_000);
    const { metadata, ...lease } = server.lease ?? { metadata: {} };
    server.lease = { ...lease, metadata: { ...metadata, resourceVersion: '99', annotations: { note: 'seen' } } };
    await world.advance(11_000);
    expect([a.leading, a.elector.gate.open]).toEqual([true, true]);
    expect(sentFrom(server, 2_000)).toEqual(['5000 PUT', '7000 GET', '7000 PUT', '12000 PUT']);
    expect(server.lease.metadata.annotations).toEqual({ note: 'seen' });
  });

  test('goes on after an API server that fails for seven seconds', async () => {
    const { world, candidate } = aCluster();
    const isDown = () => world.monotonic() >= 1_000 && world.monotonic() < 8_000;
    const a = candidate('a', { weather: () => (isDown() ? { trouble: 'unavailable' } : {}) });
    await world.advance(60_000);
    expect(a.leading).toBe(true);
  });

  test('gives up at once, and closes the gate, when it finds another in its place', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a', { finish: () => new Promise(() => {}) });
    await world.advance(1_000);
    const { metadata, spec } = server.lease ?? { metadata: {} };
    server.lease = {
      metadata: { ...metadata, resourceVersion: '99' },
      spec: { ...spec, holderIdentity: 'a person with kubectl' },
    };
    await world.advance(6_000);
    expect([a.leading, a.elector.gate.open]).toEqual([false, false]);
    expect(server.lease?.spec?.holderIdentity).toBe('a person with kubectl');
  });

  test.each(['deleted', 'emptied'])('gives up when its lease was %s: another may have led meanwhile', async (how) => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(1_000);
    server.lease =
      how === 'deleted' ? undefined : { metadata: { ...server.lease?.metadata, resourceVersion: '99' }, spec: {} };
    await world.advance(6_000);
    await expect(a.ended).resolves.toBe('lost');
    expect(server.lease?.spec?.holderIdentity).toBeUndefined();
  });

  test('that was stopped past its lease sends no write at all when it continues', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(5_000);
    a.process.stop();
    await world.advance(10_000);
    const before = server.writes.length;
    a.process.continue();
    await expect(a.write()).rejects.toThrow('it writes nothing');
    await world.advance(60_000);
    await expect(a.ended).resolves.toBe('lost');
    expect(server.writes.length).toBe(before);
  });

  test('that was stopped while a renewal was on its way sends no write when it continues', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 5000: { thereMs: 500, backMs: 500 } }) });
    await world.advance(5_100);
    a.process.stop();
    await world.advance(12_000);
    const before = server.writes.length;
    a.process.continue();
    await world.advance(60_000);
    await expect(a.ended).resolves.toBe('lost');
    expect(server.writes.length).toBe(before);
  });

  test('that was stopped while a renewal waited for a connection does not send it when it continues', async () => {
    const { world, server, candidate } = aCluster();
    const a = candidate('a', { weather: atTimes(world, { 5000: { waitMs: 500 } }) });
    await world.advance(5_100);
    a.process.stop();
    await world.advance(12_000);
    const before = server.writes.length;
    a.process.continue();
    await world.advance(60_000);
    await expect(a.ended).resolves.toBe('lost');
    expect(server.writes.length).toBe(before);
  });

  test('that was suspended, so that only the time of day went on, gives up at its next look', async () => {
    const { world, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(1_000);
    world.setNow(new Date(world.now().getTime() + HOUR));
    expect(a.elector.gate.open).toBe(false);
    await world.advance(4_000);
    await expect(a.ended).resolves.toBe('lost');
  });

  test('that was stopped for less than its lease goes on', async () => {
    const { world, candidate } = aCluster();
    const a = candidate('a');
    await world.advance(5_000);
    a.process.stop();
    await world.advance(8_000);
    a.process.continue();
    await world.advance(20_000);
    expect(a.leading).toBe(true);
  });

  test('gives the lease back when its work ends by itself', async () => {
    const { world, server, elect } = aCluster();
    const { elector } = elect('a');
    const ended = elector.run(new AbortController().signal, async () => undefined);
    await world.advance(0);
    await expect(ended).resolves.toBe('done');
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(world.pending).toBe(0);
  });

  test('gives the lease back when its work fails, and passes the failure on', async () => {
    const { world, server, elect } = aCluster();
    const { elector } = elect('a');
    const ended = elector.run(new AbortController().signal, () => Promise.reject(new Error('a bad day')));
    ended.catch(() => undefined);
    await world.advance(0);
    await expect(ended).rejects.toThrow('a bad day');
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(elector.gate.open).toBe(false);
  });
});

describe('an election', () => {
  test('tells when it begins and ceases to lead', async () => {
    const { world, elect } = aCluster();
    const told: boolean[] = [];
    const { elector } = elect('a', { onLeading: (leading) => told.push(leading) });
    const stop = new AbortController();
    const ended = elector.run(stop.signal, untilAborted);
    await world.advance(0);
    expect(told).toEqual([true]);
    stop.abort();
    await world.advance(0);
    await ended;
    expect(told).toEqual([true, false]);
  });

  test('says once what keeps it from the lease, not at every try', async () => {
    const { world, log, candidate } = aCluster();
    candidate('a', { weather: () => ({ trouble: 'unavailable' }) });
    await world.advance(120_000);
    expect(log.at('warn').map((line) => line.message)).toEqual([
      'the lease could not be taken or renewed: trying again',
    ]);
  });

  test('is stuck when a process that waits or leads does not look at the lease for long', async () => {
    const { world, elect } = aCluster();
    const { elector } = elect('a');
    expect(elector.stuck()).toEqual([]);
    void elector.run(new AbortController().signal, untilAborted);
    await world.advance(60_000);
    expect(elector.stuck()).toEqual([]);
    world.leap(31_000);
    expect(elector.stuck()).toEqual(['nothing was done about the lease ns/holdfast for 31 s']);
  });

  test.each<Partial<ElectionTiming>>([
    { durationMs: 10_000 },
    { renewDeadlineMs: 7_400 },
    { renewMs: 7_600 },
    { retryMs: 5_000 },
    { durationMs: Number.NaN },
  ])('refuses times that cannot keep two from leading at once: %o', (timing) => {
    expect(() => aCluster().elect('a', { timing })).toThrow('must be longer than');
  });
});

interface CandidateOptions {
  readonly skewMs?: number;
  readonly weather?: (request: TransportRequest) => Weather;
  readonly timing?: Partial<ElectionTiming>;
  readonly onLeading?: (leading: boolean) => void;
  /** What is still to be done when it was told to stop. */
  readonly finish?: () => Promise<void>;
}

function aCluster() {
  const world = new VirtualClock();
  const server = new SimulatedLease();
  const log = new RecordingLog();
  const random = () => 0;

  function elect(name: string, { skewMs = 0, weather, timing, onLeading }: CandidateOptions = {}) {
    const process = new SimulatedProcess({ name, world, server, skewMs, ...(weather && { weather }) });
    const client = new KubeClient({ transport: process, clock: process, random });
    const elector = new Elector({
      ...{ client, clock: process, random, log, namespace: 'ns', name: 'holdfast', identity: name },
      ...(timing && { timing }),
      ...(onLeading && { onLeading }),
    });
    return { process, client, elector };
  }

  function candidate(name: string, options: CandidateOptions = {}) {
    const parts = elect(name, options);
    const stop = new AbortController();
    const state = { leading: false };
    const ended = parts.elector.run(stop.signal, async (signal) => {
      state.leading = true;
      await untilAborted(signal);
      state.leading = false;
      await options.finish?.();
    });
    const gated = parts.client.gatedBy(parts.elector.gate);
    return {
      ...parts,
      stop,
      ended,
      get leading() {
        return state.leading;
      },
      /** What a controller does that had just decided to write. */
      write: () => gated.raw('POST', '/api/v1/namespaces/ns/pods', {}),
    };
  }
  return { world, server, log, elect, candidate };
}

const sentFrom = ({ journal }: SimulatedLease, fromMs: number): readonly string[] =>
  journal.filter(({ at }) => at >= fromMs).map(({ at, method }) => `${at} ${method}`);

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** The weather at one time, or from 2 s on. */
function atTimes(world: VirtualClock, plan: Readonly<Record<number | 'later', Weather>> | Record<number, Weather>) {
  const later: Weather = 'later' in plan ? plan.later : {};
  return (): Weather => {
    const at = world.monotonic();
    return (plan as Record<number, Weather>)[at] ?? (at >= 2_000 ? later : {});
  };
}

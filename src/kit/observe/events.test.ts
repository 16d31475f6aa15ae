import { describe, expect, it } from 'vitest';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import { answer, FakeTransport, type JournalEntry, refusal, type Script } from '../kube/fake-transport.ts';
import { ConnectionError } from '../kube/transport.ts';
import { LeaseGate } from '../lead/lease-gate.ts';
import type { EventObject, Occurrence } from './event.ts';
import type { DropReason } from './event-metrics.ts';
import { Events, type EventsOptions } from './events.ts';
import { RecordingLog } from './recording-log.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANY = /^\/apis\/events\.k8s\.io\/v1\/namespaces\/[^/]+\/events(\/[^/]+)?$/;

/** Keeps Events as an API server does: a name is used once, and what is gone cannot be patched. */
class EventStore {
  readonly events = new Map<string, EventObject>();
  #lastUid = 0;

  readonly create = ({ body }: JournalEntry) => {
    const event = body as EventObject;
    const name = event.metadata.name ?? '';
    if (this.events.has(name)) return refusal(409, 'AlreadyExists', `events "${name}" already exists`);
    const stored = { ...event, metadata: { ...event.metadata, uid: `uid-${++this.#lastUid}` } };
    this.events.set(name, stored);
    return answer(201, stored);
  };

  readonly patch = ({ path, body }: JournalEntry) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const { metadata, ...fields } = body as EventObject;
    const event = this.events.get(name);
    if (!event) return refusal(404, 'NotFound', `events "${name}" not found`);
    if (metadata.uid && metadata.uid !== event.metadata.uid) return refusal(409, 'Conflict', 'the UID is another');
    this.events.set(name, { ...event, ...fields });
    return answer(200, this.events.get(name));
  };

  get all(): EventObject[] {
    return [...this.events.values()];
  }
}

function setting(options: Partial<EventsOptions> = {}) {
  const clock = new VirtualClock();
  const store = new EventStore();
  const transport = new FakeTransport().on('POST', ANY, store.create).on('PATCH', ANY, store.patch);
  const random = () => 0.5;
  const log = new RecordingLog();
  const counts = { create: 0, patch: 0, folded: 0, dropped: [] as DropReason[] };
  const metrics = {
    written: (verb: 'create' | 'patch') => void counts[verb]++,
    folded: () => void counts.folded++,
    dropped: (reason: DropReason) => void counts.dropped.push(reason),
  };
  const client = new KubeClient({ transport, clock, random });
  const events = new Events({ client, clock, random, log, metrics, instance: 'holdfast-0', ...options });
  const recorder = events.recorder('holdfast.io/devices');
  const record = (change: Partial<Occurrence> = {}) => recorder.record({ ...MOUNTED, ...change });
  return { clock, store, transport, log, counts, events, record };
}

const VOLUME = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'pv-1', uid: 'u-1' };
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'u-2' };
const MOUNTED: Occurrence = {
  regarding: VOLUME,
  type: 'Warning',
  reason: 'DeviceIsMounted',
  action: 'Wipe',
  note: '/dev/sdb is mounted on /data: unmount it',
};

describe('an Event', () => {
  it('says what happened to what, and who says so', async () => {
    const { record, store, transport, clock } = setting();
    record({ regarding: CLAIM, related: VOLUME });
    await clock.advance(0);
    expect(transport.journal[0]?.path).toBe('/apis/events.k8s.io/v1/namespaces/shop/events');
    expect(store.all).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'shop', name: expect.stringMatching(/^data\.[0-9a-f]{16}$/), uid: 'uid-1' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'holdfast.io/devices',
        reportingInstance: 'holdfast-0',
        regarding: CLAIM,
        related: VOLUME,
        type: 'Warning',
        reason: 'DeviceIsMounted',
        action: 'Wipe',
        note: '/dev/sdb is mounted on /data: unmount it',
      },
    ]);
  });

  it('about something that is in no namespace is told in default', async () => {
    const { record, store, clock } = setting();
    record({ regarding: VOLUME });
    await clock.advance(0);
    expect(store.all[0]?.metadata.namespace).toBe('default');
    expect(store.all[0]?.regarding).not.toHaveProperty('namespace');
  });

  it('is sent after the caller has gone on', () => {
    const { record, transport } = setting();
    record();
    expect(transport.journal).toEqual([]);
  });

  it('needs a controller with a proper name', () => {
    const { events } = setting();
    expect(() => events.recorder('not a name')).toThrow('no Events can be reported by this controller');
  });
});

describe('what repeats', () => {
  it('is one Event with a count: the first repetition is told at once', async () => {
    const { record, store, clock, counts } = setting();
    record();
    await clock.advance(1000);
    record();
    await clock.advance(0);
    expect(store.all).toHaveLength(1);
    expect(store.all[0]?.series).toEqual({ count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' });
    expect(counts).toMatchObject({ create: 1, patch: 1, folded: 1, dropped: [] });
  });

  it('is created with its count when it repeats before it was written', async () => {
    const { record, store, transport, clock } = setting();
    for (let n = 0; n < 5; n++) record();
    await clock.advance(0);
    expect(transport.journal.map((entry) => entry.method)).toEqual(['POST']);
    expect(store.all[0]?.series?.count).toBe(5);
  });

  it('carries the uid of the Event that it adds to, so that it never changes another', async () => {
    const { record, transport, clock } = setting();
    record();
    await clock.advance(0);
    record();
    await clock.advance(0);
    expect(transport.bodies<EventObject>('PATCH')[0]?.metadata.uid).toBe('uid-1');
  });

  it('is told less and less often while it goes on, at most every half hour', async () => {
    const { record, transport, store, clock } = setting();
    const patchedAt: number[] = [];
    transport.on('PATCH', ANY, (entry) => {
      patchedAt.push(clock.monotonic() / MINUTE);
      return store.patch(entry);
    });
    for (let minute = 0; minute < 4 * 60; minute++) {
      record();
      await clock.advance(MINUTE);
    }
    expect(patchedAt).toEqual([1, 2, 4, 8, 16, 32, 62, 92, 122, 152, 182, 212]);
    expect(store.all).toHaveLength(1);
  });

  it('is told its last count when it has not come again for six minutes, and is a new Event after that', async () => {
    const { record, store, clock } = setting();
    for (let n = 0; n < 4; n++) {
      record();
      await clock.advance(1000);
    }
    expect(store.all[0]?.series?.count).toBe(2);
    await clock.advance(6 * MINUTE);
    expect(store.all.map((event) => event.series)).toEqual([
      { count: 4, lastObservedTime: '2026-01-01T00:00:03.000000Z' },
    ]);
    record();
    await clock.advance(0);
    expect(store.all.map((event) => event.series?.count)).toEqual([4, undefined]);
  });

  it('is told its last count when it ends, even if the next pause would be longer', async () => {
    const { record, store, clock } = setting();
    for (let minute = 0; minute < 40; minute++) {
      record();
      await clock.advance(MINUTE);
    }
    expect(store.all[0]?.series?.count).toBe(32);
    await clock.advance(5 * MINUTE);
    expect(store.all[0]?.series?.count).toBe(40);
  });

  it('is a new Event at the very moment at which the old one is over', async () => {
    const { record, store, clock } = setting();
    clock.after(6 * MINUTE, () => record());
    record();
    await clock.advance(6 * MINUTE);
    expect(store.all.map((event) => event.series)).toEqual([undefined, undefined]);
  });

  it('is not folded when it is about another thing, says another thing, or somebody else says it', async () => {
    const { record, events, store, clock } = setting();
    const other = events.recorder('holdfast.io/lvm');
    record();
    record({ note: 'another note' });
    record({ reason: 'Other' });
    record({ action: 'Format' });
    record({ type: 'Normal' });
    record({ regarding: { ...VOLUME, uid: 'u-9' } });
    record({ related: CLAIM });
    other.record(MOUNTED);
    await clock.advance(0);
    expect(store.all).toHaveLength(8);
    expect(new Set(store.all.map((event) => event.metadata.name)).size).toBe(8);
  });

  it('is created anew, with its count, when the Event has expired on the server', async () => {
    const { record, store, clock } = setting();
    record();
    await clock.advance(0);
    store.events.clear();
    record();
    await clock.advance(0);
    expect(store.all.map((event) => event.series?.count)).toEqual([2]);
  });

  it('is created anew when another Event has taken the name', async () => {
    const { record, store, clock } = setting();
    record();
    await clock.advance(0);
    const [name = '', event] = [...store.events][0] ?? [];
    if (event) store.events.set(name, { ...event, metadata: { ...event.metadata, uid: 'another' } });
    record();
    await clock.advance(0);
    expect(store.all.map((each) => each.series?.count)).toEqual([undefined, 2]);
  });

  it('is not told twice when a flush comes while it is being told', async () => {
    const { record, events, transport, clock } = setting();
    record();
    await settled();
    await Promise.all([events.flush(1000), clock.advance(0)]);
    expect(transport.journal).toHaveLength(1);
  });

  it('leaves nothing behind when it is over', async () => {
    const { record, clock } = setting();
    record();
    record();
    await clock.advance(6 * MINUTE);
    expect(clock.pending).toBe(0);
  });
});

describe('too much', () => {
  it('about one object is dropped: 25 different ones at once, then one every five minutes', async () => {
    const { record, store, clock, counts } = setting();
    for (let n = 0; n < 30; n++) record({ note: `note ${n}` });
    record({ regarding: CLAIM });
    await clock.advance(0);
    expect(store.all).toHaveLength(26);
    expect(counts.dropped).toEqual(Array(5).fill('rate'));

    await clock.advance(5 * MINUTE);
    for (let n = 30; n < 32; n++) record({ note: `note ${n}` });
    await clock.advance(0);
    expect(store.all).toHaveLength(27);
  });

  it('of the same is not too much: only new Events count against an object', async () => {
    const { record, store, clock, counts } = setting({ rate: { burst: 1, refillMs: HOUR } });
    for (let n = 0; n < 100; n++) record();
    await clock.advance(0);
    expect(store.all[0]?.series?.count).toBe(100);
    expect(counts.dropped).toEqual([]);
  });

  it('at the same time is dropped and counted, while repetitions of what waits still fold', async () => {
    const { record, store, clock, counts } = setting({ capacity: 2 });
    for (let n = 0; n < 4; n++) record({ note: `note ${n}` });
    record({ note: 'note 1' });
    await clock.advance(0);
    expect(store.all.map((event) => [event.note, event.series?.count])).toEqual([
      ['note 0', undefined],
      ['note 1', 2],
    ]);
    expect(counts.dropped).toEqual(['queue_full', 'queue_full']);
  });
});

it('that is given up for good long after it was over takes nothing away from the next of its kind', async () => {
  const { record, transport, clock, counts } = setting();
  transport.on('POST', ANY, { ...refusal(503, 'ServiceUnavailable', 'busy'), headers: { 'retry-after': '60' } });
  record();
  await clock.advance(8 * MINUTE);
  record();
  await clock.advance(5 * MINUTE);
  expect(counts.dropped).toEqual(['unreachable']);
  record();
  expect(counts.folded).toBe(1);
});

it('about something that cannot be named keeps no other from being delivered', async () => {
  const { record, store, log, clock, counts } = setting();
  record({ regarding: { ...VOLUME, name: 'not/a name', kind: undefined as never } });
  record();
  await clock.advance(0);
  expect(store.all.map(({ regarding }) => regarding.name)).toEqual(['pv-1']);
  expect([counts.dropped, log.at('error').length]).toEqual([['rejected'], 1]);
});

describe('without the right to write Events', () => {
  const denied = refusal(403, 'Forbidden', 'events.events.k8s.io is forbidden: User "x" cannot create resource');

  it('there is one warning, and fewer and fewer tries: at most one an hour in the end', async () => {
    const { record, transport, log, clock, counts } = setting();
    transport.on('POST', ANY, denied);
    const triesInAnHour = async () => {
      const before = transport.journal.length;
      for (let minute = 0; minute < 60; minute++) {
        record();
        await clock.advance(MINUTE);
      }
      return transport.journal.length - before;
    };
    expect(await triesInAnHour()).toBeLessThan(10);
    await triesInAnHour();
    expect([await triesInAnHour(), await triesInAnHour()]).toEqual([1, 1]);
    expect(counts.dropped).toEqual(Array(240).fill('forbidden'));
    expect(log.lines.map((line) => line.level)).toEqual(['warn']);
    expect(log.lines[0]?.message).toMatch(
      /^no right to create Events: going on without\. To have them, allow "create"/,
    );
  });

  it('all is well again as soon as it is granted', async () => {
    const { record, transport, store, clock } = setting();
    transport.on('POST', ANY, denied, store.create);
    record();
    await clock.advance(HOUR);
    record();
    record();
    await clock.advance(0);
    expect(store.all.map((event) => event.series?.count)).toEqual([2]);
  });

  it('for a moment only, as from a server that has just come up, little is lost, each time', async () => {
    const { record, transport, store, clock } = setting();
    transport.on('POST', ANY, denied, store.create, denied, store.create);
    for (let n = 0; n < 4; n++) {
      record({ note: `note ${n}` });
      await clock.advance(10_000);
    }
    expect(store.all.map(({ note }) => note)).toEqual(['note 1', 'note 3']);
  });

  it('in one namespace, those of others are written', async () => {
    const { record, transport, store, clock } = setting();
    transport.on('POST', '/apis/events.k8s.io/v1/namespaces/default/events', denied);
    record();
    record({ regarding: CLAIM });
    await clock.advance(0);
    expect(store.all.map((event) => event.regarding.name)).toEqual(['data']);
  });

  it('but only to patch them, new ones are still created', async () => {
    const { record, transport, store, log, clock } = setting();
    transport.on('PATCH', ANY, denied);
    record();
    await clock.advance(0);
    for (let n = 0; n < 5; n++) {
      record();
      record({ note: `note ${n}` });
      await clock.advance(MINUTE);
    }
    expect(store.all).toHaveLength(6);
    expect(transport.bodies('PATCH').length).toBeLessThan(5);
    expect(log.at('warn').map((line) => line.message)).toEqual([expect.stringMatching(/^no right to patch Events/)]);
  });
});

describe('when the server does not take one', () => {
  it.each([
    ['is being removed', refusal(403, 'Forbidden', 'unable to create', [{ reason: 'NamespaceTerminating' }])],
    ['is gone', refusal(404, 'NotFound', 'namespaces "shop" not found')],
  ])('because the namespace %s, it is dropped without a word, and nobody is denied', async (_why, script) => {
    const { record, transport, store, log, clock, counts } = setting();
    transport.on('POST', ANY, script, store.create);
    record({ regarding: CLAIM });
    await clock.advance(0);
    record({ regarding: { ...CLAIM, uid: 'u-10' } });
    await clock.advance(0);
    expect(counts).toMatchObject({ create: 1, dropped: ['namespace_gone'] });
    expect(log.at('warn')).toEqual([]);
  });

  it('because it is invalid, it is dropped with one warning for each reason', async () => {
    const { record, transport, log, clock, counts } = setting();
    transport.on('POST', ANY, refusal(422, 'Invalid', 'Event "x" is invalid'));
    for (let n = 0; n < 3; n++) record({ note: `note ${n}` });
    await clock.advance(0);
    expect(counts.dropped).toEqual(['rejected', 'rejected', 'rejected']);
    expect(log.lines.map((line) => [line.level, line.fields.why])).toEqual([
      ['warn', expect.stringContaining('422 Invalid: Event "x" is invalid')],
    ]);
  });

  it('it is forgotten: the next of its kind is the first', async () => {
    const { record, transport, store, clock } = setting();
    transport.on('POST', ANY, refusal(422, 'Invalid', 'Event "x" is invalid'), store.create);
    record();
    await clock.advance(1000);
    record();
    await clock.advance(0);
    expect(store.all.map((event) => [event.eventTime, event.series])).toEqual([
      ['2026-01-01T00:00:01.000000Z', undefined],
    ]);
  });

  it('because another has its name, it gets a new one', async () => {
    const { record, transport, store, clock } = setting();
    transport.on('POST', ANY, refusal(409, 'AlreadyExists', 'events "x" already exists'), store.create);
    record();
    await clock.advance(0);
    expect(store.all).toHaveLength(1);
  });
});

describe('when the server cannot be reached', () => {
  const broken = new ConnectionError('the connection broke', { mayHaveHappened: true });

  it.each<[string, Script]>([
    ['a broken connection', broken],
    ['an overloaded server', refusal(503, 'ServiceUnavailable', 'shutting down')],
    ['a token that has run out', refusal(401, 'Unauthorized', 'Unauthorized')],
  ])('%s is waited out', async (_what, script) => {
    const { record, transport, store, clock, counts } = setting();
    transport.on('POST', ANY, script, script, store.create);
    record();
    await clock.advance(MINUTE);
    expect(store.all).toHaveLength(1);
    expect(counts.dropped).toEqual([]);
  });

  it('as long as the server asks for', async () => {
    const { record, transport, store, clock } = setting();
    const later = { ...refusal(429, 'TooManyRequests', 'later'), headers: { 'retry-after': '45' } };
    transport.on('POST', ANY, later, store.create);
    record();
    await clock.advance(44_999);
    expect(store.all).toHaveLength(0);
    await clock.advance(1);
    expect(store.all).toHaveLength(1);
  });

  it('an Event whose reply was lost is not written twice, and its repetitions go to it', async () => {
    const { record, transport, store, clock } = setting();
    transport.on(
      'POST',
      ANY,
      (entry) => {
        store.create(entry);
        return broken;
      },
      store.create,
    );
    record();
    await clock.advance(10_000);
    record();
    await clock.advance(0);
    expect(store.all.map((event) => event.series?.count)).toEqual([2]);
  });

  it('what repeats meanwhile is counted', async () => {
    const { record, transport, store, clock } = setting();
    transport.on('POST', ANY, broken, store.create);
    record();
    await settled();
    for (let n = 0; n < 9; n++) record();
    await clock.advance(MINUTE);
    expect(store.all.map((event) => event.series?.count)).toEqual([10]);
  });

  it('for too long, it is dropped with one warning, and the next has its chance', async () => {
    const { record, transport, store, log, clock, counts } = setting();
    transport.on('POST', ANY, ...Array<Script>(12).fill(broken), store.create);
    record({ note: 'lost' });
    record({ note: 'kept' });
    await clock.advance(HOUR);
    expect(counts.dropped).toEqual(['unreachable']);
    expect(store.all.map((event) => event.note)).toEqual(['kept']);
    expect(log.at('warn').map((line) => line.message)).toEqual([
      'an Event could not be written in 12 tries and is dropped',
    ]);
  });
});

describe('the end', () => {
  it('tells the last counts', async () => {
    const { record, events, store, clock } = setting();
    for (let n = 0; n < 5; n++) {
      record();
      await clock.advance(1000);
    }
    expect(store.all[0]?.series?.count).toBe(2);
    await events.close();
    expect(store.all[0]?.series?.count).toBe(5);
    expect(clock.pending).toBe(0);
  });

  it('comes with the signal, after what waits was written', async () => {
    const { record, events, store, clock } = setting();
    const stop = new AbortController();
    const ended = events.run(stop.signal);
    record();
    stop.abort();
    await ended;
    expect(store.all).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('does not wait for a server that does not answer', async () => {
    const { record, events, transport, clock, counts } = setting();
    transport.on('POST', ANY, 'hang');
    for (let n = 0; n < 3; n++) record({ note: `note ${n}` });
    const closed = events.close(2000);
    await clock.advance(1999);
    expect(await Promise.race([closed, 'not yet'])).toBe('not yet');
    await clock.advance(1);
    await closed;
    expect(counts.dropped).toEqual(['shutdown', 'shutdown', 'shutdown']);
    expect(clock.pending).toBe(0);
  });

  it('does not wait for the last count either', async () => {
    const { record, events, transport, clock, counts } = setting();
    record();
    await clock.advance(0);
    transport.on('PATCH', ANY, 'hang');
    record();
    await clock.advance(0);
    const closed = events.close(2000);
    await clock.advance(2000);
    await closed;
    expect(counts.dropped).toEqual(['shutdown']);
    expect(clock.pending).toBe(0);
  });

  it('drops what is recorded after it, repetitions too', async () => {
    const { record, events, transport, clock, counts } = setting();
    record();
    await events.close();
    for (let n = 0; n < 3; n++) {
      record();
      await clock.advance(0);
    }
    record({ note: 'another' });
    expect(transport.journal).toHaveLength(1);
    expect(counts.dropped).toEqual(Array(4).fill('shutdown'));
    expect(clock.pending).toBe(0);
  });

  it('a flush is not the end', async () => {
    const { record, events, store } = setting();
    record();
    await events.flush(1000);
    expect(store.all).toHaveLength(1);
    record({ note: 'another' });
    await events.flush(1000);
    expect(store.all).toHaveLength(2);
  });
});

describe('a process that no longer leads', () => {
  it('sends no Event, and neither complains nor tries again', async () => {
    const clock = new VirtualClock();
    const gate = new LeaseGate(clock);
    const transport = new FakeTransport();
    const client = new KubeClient({ transport, clock, random: () => 0.5 }).gatedBy(gate);
    const { events, record, counts, log } = setting({ client, clock });
    record();
    await clock.advance(HOUR);
    await events.close();
    expect(transport.journal).toEqual([]);
    expect(counts.dropped).toEqual(['not_leading']);
    expect(log.lines).toEqual([]);
  });
});

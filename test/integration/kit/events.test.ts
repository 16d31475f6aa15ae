/** Events on a real API server: what it takes, what people see of it with kubectl, and what it costs not to be allowed. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import type { Resource } from '../../../src/kit/kube/resource.ts';
import type { EventObject, Occurrence } from '../../../src/kit/observe/event.ts';
import type { DropReason } from '../../../src/kit/observe/event-metrics.ts';
import { Events } from '../../../src/kit/observe/events.ts';
import { RecordingLog } from '../../../src/kit/observe/recording-log.ts';
import { type ObjectReference, referenceTo } from '../../../src/kit/observe/reference.ts';
import { controlPlaneBinaries } from '../../harness/binaries.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { aConfigMap, CONFIG_MAPS, connected } from './connected.ts';

const VOLUMES: Resource = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
};
const PATIENCE_MS = 30_000;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
});
afterAll(() => plane?.[Symbol.asyncDispose]());

/** A recorder under test and what it leaves behind. `random` is 0 so that it waits for nothing between two tries. */
function recording(
  to: { readonly url: string; readonly ca: string } = plane,
  token: string = plane.adminToken,
  controller = 'holdfast.io/test',
) {
  const log = new RecordingLog();
  const dropped: DropReason[] = [];
  const metrics = { written() {}, folded() {}, dropped: (reason: DropReason) => void dropped.push(reason) };
  const kit = connected(to, token);
  const events = new Events({
    client: kit.client,
    clock: systemClock,
    random: () => 0,
    log,
    metrics,
    instance: 'test-0',
  });
  return {
    log,
    dropped,
    events,
    record: (occurrence: Occurrence) => events.recorder(controller).record(occurrence),
    async [Symbol.asyncDispose]() {
      await events.close(PATIENCE_MS);
      await kit[Symbol.asyncDispose]();
    },
  };
}

const about = (regarding: ObjectReference, change: Partial<Occurrence> = {}): Occurrence => ({
  regarding,
  type: 'Warning',
  reason: 'DeviceIsMounted',
  action: 'Wipe',
  note: 'the device is mounted: unmount it',
  ...change,
});

async function aVolume(name: string): Promise<ObjectReference> {
  const volume = await plane.admin.post('/api/v1/persistentvolumes', {
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' } },
  });
  return referenceTo(VOLUMES, volume);
}

async function aMap(name: string): Promise<ObjectReference> {
  return referenceTo(CONFIG_MAPS, await plane.admin.post('/api/v1/namespaces/default/configmaps', aConfigMap(name)));
}

type StoredEvent = EventObject & RawObject;

async function eventsAbout({ uid }: ObjectReference): Promise<readonly StoredEvent[]> {
  const { items } = await plane.admin.list<StoredEvent>('/apis/events.k8s.io/v1/events');
  return items.filter(({ regarding }) => regarding.uid === uid);
}

async function kubectl(...args: readonly string[]): Promise<string> {
  const program = join(controlPlaneBinaries(), 'kubectl');
  const { stdout } = await promisify(execFile)(program, [`--kubeconfig=${plane.kubeconfig}`, ...args]);
  return stdout;
}

/** A table of kubectl's as one record per line, by the names of its columns. */
function rowsOf(table: string): readonly Record<string, string>[] {
  const [header = '', ...lines] = table.trimEnd().split('\n');
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map((match) => ({ name: match[0], start: match.index }));
  const cell = (line: string, i: number) => line.slice(columns[i]?.start, columns[i + 1]?.start).trim();
  return lines.map((line) => Object.fromEntries(columns.map(({ name }, i) => [name, cell(line, i)])));
}

describe('what repeats', () => {
  test('is one Event with the count of all, and is what kubectl shows', async () => {
    const volume = await aVolume('pv-repeated');
    await using kit = recording();
    kit.record(about(volume));
    await kit.events.flush(PATIENCE_MS);
    for (let n = 0; n < 4; n++) kit.record(about(volume));
    await kit.events.flush(PATIENCE_MS);
    kit.record(about(volume));
    kit.record(about(volume));
    await kit.events.flush(PATIENCE_MS);

    const [event, ...others] = await eventsAbout(volume);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      metadata: { namespace: 'default' },
      series: { count: 7 },
      reportingController: 'holdfast.io/test',
      reportingInstance: 'test-0',
      type: 'Warning',
      reason: 'DeviceIsMounted',
      action: 'Wipe',
      note: 'the device is mounted: unmount it',
    });

    const mine = ['--field-selector', `involvedObject.uid=${volume.uid}`];
    expect(rowsOf(await kubectl('get', 'events', '-o', 'wide', ...mine))).toEqual([
      expect.objectContaining({
        TYPE: 'Warning',
        REASON: 'DeviceIsMounted',
        OBJECT: 'persistentvolume/pv-repeated',
        SOURCE: 'holdfast.io/test, test-0',
        MESSAGE: 'the device is mounted: unmount it',
        COUNT: '7',
        'LAST SEEN': expect.stringMatching(/^\d\S*$/),
        'FIRST SEEN': expect.stringMatching(/^\d\S*$/),
      }),
    ]);
    expect(rowsOf(await kubectl('events', '--for', 'persistentvolume/pv-repeated'))).toEqual([
      {
        'LAST SEEN': expect.stringMatching(/^\d\S* \(x7 over \S+\)$/),
        TYPE: 'Warning',
        REASON: 'DeviceIsMounted',
        OBJECT: 'PersistentVolume/pv-repeated',
        MESSAGE: 'the device is mounted: unmount it',
      },
    ]);
    expect(await kubectl('describe', 'pv', 'pv-repeated')).toMatch(
      /Events:\n[^\n]*\n[^\n]*\n +Warning +DeviceIsMounted +\d\S* \(x7 over \S+\) +holdfast\.io\/test +the device is mounted: unmount it\n/,
    );
  });

  test('after its Event was deleted is an Event again, with its count', async () => {
    const map = await aMap('deleted-event');
    await using kit = recording();
    kit.record(about(map));
    await kit.events.flush(PATIENCE_MS);
    const [first] = await eventsAbout(map);
    await plane.admin.delete(`/apis/events.k8s.io/v1/namespaces/default/events/${first?.metadata.name}`);
    kit.record(about(map));
    await kit.events.flush(PATIENCE_MS);
    const left = await eventsAbout(map);
    expect(left.map(({ series, eventTime }) => [series?.count, eventTime])).toEqual([[2, first?.eventTime]]);
  });

  test('is told to the last when the process ends', async () => {
    const map = await aMap('last-count');
    const kit = recording();
    for (let n = 0; n < 50; n++) {
      kit.record(about(map));
      if (n < 2) await kit.events.flush(PATIENCE_MS);
    }
    await kit[Symbol.asyncDispose]();
    expect((await eventsAbout(map)).map(({ series }) => series?.count)).toEqual([50]);
  });
});

describe('the API server takes', () => {
  test('whatever is said, cut to its limits', async () => {
    const map = await aMap('long-words');
    await using kit = recording();
    const note = 'ä€😀'.repeat(400);
    kit.record(about(map, { note, reason: 'R'.repeat(300), action: '', type: 'Normal' }));
    await kit.events.flush(PATIENCE_MS);
    expect([kit.dropped, kit.log.lines]).toEqual([[], []]);
    const [event] = await eventsAbout(map);
    expect(note.startsWith(event?.note.slice(0, -1) ?? '?')).toBe(true);
    expect(Buffer.byteLength(event?.note ?? '')).toBeGreaterThan(1018);
  });

  test('an Event about any object, also one whose name no Event may have', async () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      name: 'system:Basic-User',
      uid: 'r-1',
    };
    await using kit = recording();
    kit.record(about(role, { related: await aMap('related') }));
    await kit.events.flush(PATIENCE_MS);
    const [event] = await eventsAbout(role);
    expect(event).toMatchObject({ regarding: role, related: { kind: 'ConfigMap', name: 'related' } });
  });

  test('one Event only when the reply to it was lost', async () => {
    const map = await aMap('lost-reply');
    await using proxy = await startFaultProxy(plane);
    await using kit = recording(proxy);
    const lost = proxy.inject({ verb: 'create', resource: 'events' }, { fault: 'lost-reply' });
    kit.record(about(map));
    await kit.events.flush(PATIENCE_MS);
    kit.record(about(map));
    await kit.events.flush(PATIENCE_MS);
    expect(lost.hits).toBe(1);
    expect((await eventsAbout(map)).map(({ series }) => series?.count)).toEqual([2]);
  });
});

describe('without the right to Events', () => {
  test('there is one warning and one request, and nothing else', async () => {
    const map = await aMap('forbidden');
    await using account = await createServiceAccount(plane, { name: 'mute' });
    await using kit = recording(plane, account.token);
    for (let n = 0; n < 20; n++) kit.record(about(map, { note: `note ${n}` }));
    await kit.events.flush(PATIENCE_MS);
    for (let n = 0; n < 20; n++) kit.record(about(map, { note: `note ${n}` }));
    await kit.events.flush(PATIENCE_MS);

    expect(kit.log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining('no right to create Events')],
    ]);
    expect(kit.dropped).toEqual(Array(40).fill('forbidden'));
    expect(await eventsAbout(map)).toEqual([]);
    await eventually(async () => {
      const asked = (await plane.auditLog()).filter(({ user }) => user.username === account.username);
      expect(asked.filter(({ objectRef }) => objectRef?.resource === 'events')).toHaveLength(1);
    });
  });

  test('exactly "create" and "patch" are enough', async () => {
    const map = await aMap('allowed');
    const rules = [{ apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] }];
    await using account = await createServiceAccount(plane, { name: 'speaker', clusterRules: rules });
    await using kit = recording(plane, account.token);
    kit.record(about(map));
    await kit.events.flush(PATIENCE_MS);
    kit.record(about(map));
    await kit.events.flush(PATIENCE_MS);
    expect((await eventsAbout(map)).map(({ series }) => series?.count)).toEqual([2]);
    expect(kit.log.lines).toEqual([]);
  });
});

test.each([
  ['being removed', true],
  ['not there', false],
])('in a namespace that is %s nothing is written and nothing is said', async (_state, exists) => {
  const namespace = `gone-${exists}`;
  if (exists) {
    await plane.admin.post('/api/v1/namespaces', { metadata: { name: namespace } });
    await plane.admin.delete(`/api/v1/namespaces/${namespace}`); // no controller is there to finish it
  }
  await using kit = recording();
  kit.record(about({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'x', uid: 'x' }));
  await kit.events.flush(PATIENCE_MS);
  expect([kit.dropped, kit.log.lines]).toEqual([['namespace_gone'], []]);
});

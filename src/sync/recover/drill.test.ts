import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { ApiError } from '../../kit/kube/api-error.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import type { Transport } from '../../kit/kube/transport.ts';
import { DRILL_LABEL, type PersistentVolumeSync, RUNNING_DRILL_ANNOTATION } from '../contract.ts';
import { aPair, aVolume, type Exported, pairs, RecoveryWorld, SYNC, together } from './builders.ts';
import { drill } from './drill.ts';
import { drillCopies } from './drill-copies.ts';
import { leftoversOf } from './drill-leftovers.ts';
import { runningDrill } from './running-drill.ts';

const SYNCS = 'persistentvolumesyncs';
const ID = 'abc';
const spec = { allowNodeVolumes: true };
const { signal } = new AbortController();

const copiesOf = (exported: Exported) => drillCopies(new RecoveryWorld().seen(exported, spec), ID);

describe('the copies of a drill', () => {
  type Source = Readonly<Record<string, unknown>>;
  const kinds: readonly (readonly [string, Source])[] = [
    ['nfs', { server: 's', path: '/x', readOnly: false }],
    ['csi', { driver: 'd', volumeHandle: 'h' }],
    ['iscsi', { targetPortal: 'p', iqn: 'i', lun: 0 }],
    ['fc', { targetWWNs: ['w'], lun: 0 }],
    ['rbd', { monitors: ['m'], image: 'i' }],
    ['awsElasticBlockStore', { volumeID: 'v' }],
    ['gcePersistentDisk', { pdName: 'p' }],
  ];

  test.each(kinds)('of %s are read-only, by their source and by their access', (kind, source) => {
    const { volumes, claims, skipped } = copiesOf(aPair('a', 'apps/a', { nfs: undefined, [kind]: source }));
    expect(volumes).toMatchObject([
      { spec: { [kind]: { ...source, readOnly: true }, accessModes: ['ReadOnlyMany'], claimRef: { name: 'a' } } },
    ]);
    expect(claims).toMatchObject([{ spec: { accessModes: ['ReadOnlyMany'], volumeName: 'drill-abc-a' } }]);
    expect(skipped).toBe(0);
  });

  test.each(['hostPath', 'local', 'vsphereVolume', 'unheardOf'])(
    'of %s, which cannot be read-only, are not made',
    (kind) => {
      const { volumes, claims, skipped } = copiesOf(aPair('a', 'apps/a', { nfs: undefined, [kind]: { path: '/x' } }));
      expect({ volumes, claims, skipped }).toEqual({ volumes: [], claims: [], skipped: 2 });
    },
  );
});

class DrillWorld extends RecoveryWorld {
  readonly clock = new VirtualClock();
  readonly requests: string[] = [];

  constructor() {
    super('apps');
    this.cluster.put(SYNCS, { metadata: { name: SYNC } });
    this.beforeRequest = (method, path) => void this.requests.push(`${method} ${path}`);
    this.afterWrite = () => this.bind();
  }

  get sync(): PersistentVolumeSync {
    return this.cluster.all(SYNCS)[0] as PersistentVolumeSync;
  }

  get copies(): readonly KubeObject[] {
    const all = ['persistentvolumes', 'persistentvolumeclaims', 'namespaces'].flatMap((each) => this.cluster.all(each));
    return all.filter(({ metadata }) => metadata.labels?.[DRILL_LABEL] !== undefined && !metadata.deletionTimestamp);
  }

  hold(exported: Exported, { dryRun = false, client = this.client(), id = ID, readMs = 0 } = {}) {
    const parts = { client, sync: this.sync, clock: this.clock, readMs, patienceMs: 1_000, dryRun, progress: () => {} };
    return drill(drillCopies(this.seen(exported, spec), id), id, parts, signal);
  }
}

describe('a drill', () => {
  test('binds its copies and takes them away, and counts what was read before', async () => {
    const world = new DrillWorld();
    const result = await world.hold(pairs(3), { readMs: 4_200 });
    expect(result).toMatchObject({ succeeded: true, volumes: 3, claims: 3, seconds: 4.2 });
    expect(world.copies).toEqual([]);
    expect(world.sync.metadata.annotations ?? {}).not.toHaveProperty([RUNNING_DRILL_ANNOTATION]);
  });

  test('that is only asked for asks the server for each copy, and leaves all as it is', async () => {
    const world = new DrillWorld();
    const tried: string[] = [];
    const client = new KubeClient({
      clock: world.clock,
      random: () => 0.5,
      transport: {
        close: async () => {},
        request: async ({ method, path, body = '{}' }) => {
          tried.push(`${method} ${path}`);
          return { status: 201, header: () => undefined, body: (async function* () {})(), text: async () => body };
        },
      },
    });
    const result = await world.hold(together(pairs(2), { volumes: [aVolume('lone')] }), { dryRun: true, client });
    expect(result).toMatchObject({ succeeded: true, volumes: 3, claims: 2 });
    expect(tried).toHaveLength(1 + 3 + 2);
    for (const each of tried) expect(each).toMatch(/^POST \/api\/v1\/\S*[?&]dryRun=All/);
    expect(tried.filter((each) => each.includes('/namespaces/default/persistentvolumeclaims'))).toHaveLength(2);
    expect(world.requests).toEqual([]);
  });

  test('that fails waits for the copies that are being made, and takes these away, too', async () => {
    const world = new DrillWorld();
    const request: Transport['request'] = async (asked) => {
      if (
        asked.method === 'POST' &&
        asked.body?.includes('"drill-abc-v0"') &&
        asked.path.includes('/persistentvolumes?')
      )
        throw new ApiError({ request: 'POST', status: 403, reason: 'Forbidden', detail: 'a quota' });
      for (let turns = 0; turns < 20 && asked.method === 'POST'; turns += 1) await new Promise(setImmediate);
      return world.cluster.answer(asked);
    };
    const transport = { request, close: async () => {} };
    const client = new KubeClient({ transport, clock: world.clock, random: () => 0.5 });
    const result = await world.hold(pairs(20), { client });
    expect(result).toMatchObject({ succeeded: false, message: expect.stringContaining('a quota') });
    for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
    expect(world.copies).toEqual([]);
  });

  test('is not held where no copy could be made', async () => {
    const world = new DrillWorld();
    const exported = { volumes: [aVolume('a', { hostPath: { path: '/x' } })] };
    await expect(world.hold(exported)).rejects.toThrow('no volume of the export can have a read-only copy');
    expect(world.writes).toEqual([]);
  });

  test('is known as long as it lasts, so that no other one is held', async () => {
    const world = new DrillWorld();
    world.afterWrite = () => {};
    const holding = world.hold(pairs(1));
    await expect.poll(() => world.copies.length).toBe(3);
    expect(runningDrill(world.sync, world.clock.now())?.id).toBe(ID);
    await expect(world.hold(pairs(1), { id: 'other' })).rejects.toThrow('drill abc is held already');
    await world.clock.advance(2_000);
    expect(await holding).toMatchObject({ succeeded: false });
    expect(runningDrill(world.sync, world.clock.now())).toBeUndefined();
  });

  test('is held alone, also when two are begun at the same moment', async () => {
    const world = new DrillWorld();
    const both = await Promise.allSettled(['one', 'two'].map((id) => world.hold(pairs(1), { id })));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringMatching(/^drill (one|two) is held already/) },
    });
  });

  test('that was killed is known for a short time only', async () => {
    const { sync } = new DrillWorld();
    const annotations = { [RUNNING_DRILL_ANNOTATION]: `${ID} 2026-01-01T00:02:00Z` };
    const killed = { ...sync, metadata: { ...sync.metadata, annotations } };
    const at = (time: string) => runningDrill(killed, new Date(time));
    expect(at('2026-01-01T00:01:59Z')?.id).toBe(ID);
    expect(at('2026-01-01T00:02:00Z')).toBeUndefined();
  });
});

test('what has the label of a drill and not the name of a copy is no copy', async () => {
  const world = new DrillWorld();
  world.has(aVolume('drill-abc-v1', {}, { labels: { [DRILL_LABEL]: ID } }));
  world.has(aVolume('precious', {}, { labels: { [DRILL_LABEL]: ID } }));
  world.has(aVolume('drill-abc-v2', {}, { labels: {} }));
  expect((await leftoversOf(world.client())).map(({ key }) => key)).toEqual(['drill-abc-v1']);
});

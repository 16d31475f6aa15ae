/** What is shown of a cluster stays right, however it came to be as it is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aNodeReport } from '../devices/builders.ts';
import { NODE_LABEL } from '../devices/contract.ts';
import { devicesReports, type ReadState } from '../devices/node-report.ts';
import { Store } from '../kit/cache/store.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { SYNC_ENABLED, SYNC_LABEL } from '../sync/contract.ts';
import { overviewOf, type Parts } from './overview.ts';
import { Picture } from './picture.ts';
import { consoleViews } from './views.ts';

type Kind = 'persistentvolumes' | 'persistentvolumeclaims' | 'pods' | 'nodes';
type AnyKind = Kind | 'configmaps' | 'persistentvolumesyncs';

/** Whether a collection is read; which may change. */
interface Read {
  synced: boolean;
  available: boolean;
  readonly staleMs: 0;
}

/** A console's caches without a server. */
class World {
  readonly #stores: { readonly plural: string; readonly store: Pick<Store<KubeObject, unknown>, 'put' | 'remove'> }[] =
    [];
  readonly objects = new Map<string, readonly [AnyKind, KubeObject]>();
  readonly clock = new VirtualClock();
  readonly picture: Picture;
  readonly #reads = new Map<string, Read>();
  #version = 0;

  /** Those of `unread` have not been read yet. */
  constructor(unread: readonly AnyKind[] = []) {
    const [stores, reads] = [this.#stores, this.#reads];
    for (const kind of unread) reads.set(kind, { synced: false, available: true, staleMs: 0 });
    const views = consoleViews({
      view(resource, spec) {
        const read = reads.get(resource.plural) ?? { synced: true, available: true, staleMs: 0 };
        reads.set(resource.plural, read);
        const store = new Store(spec.project, read);
        if (spec.indexes) store.index(spec.indexes);
        stores.push({ plural: resource.plural, store: store as unknown as (typeof stores)[number]['store'] });
        return store as never;
      },
    });
    this.picture = new Picture({
      views,
      clock: this.clock,
      canReadStore: false,
      whyNot: (resource) =>
        reads.get(resource)?.available === false
          ? `GET /api/v1/${resource}?watch=true: 403 Forbidden: not yours`
          : undefined,
      onChange: () => {},
    });
  }

  /** From now on. */
  read(kind: AnyKind, is: Partial<Read>): void {
    Object.assign(this.#reads.get(kind) ?? {}, is);
  }

  put(kind: AnyKind, object: KubeObject): void {
    const metadata = {
      uid: `uid-of-${object.metadata.name}`,
      resourceVersion: `${++this.#version}`,
      ...object.metadata,
    };
    const whole = { ...object, metadata };
    this.objects.set(`${kind}/${metadata.name}`, [kind, whole]);
    for (const { plural, store } of this.#stores) if (plural === kind) store.put(whole);
  }

  remove(kind: Kind, name: string): void {
    if (!this.objects.delete(`${kind}/${name}`)) return;
    const key = kind === 'persistentvolumes' || kind === 'nodes' ? name : `ns/${name}`;
    for (const { plural, store } of this.#stores) if (plural === kind) store.remove(key);
  }

  shown(): object {
    this.picture.refresh();
    return plain(this.picture.parts);
  }

  /** The same objects, all of them at once. */
  anew(): World {
    const other = new World();
    for (const [kind, object] of this.objects.values()) other.put(kind, object);
    return other;
  }
}

const plain = ({ volumes, nodes, pools, syncs, ...rest }: Parts): object => ({
  ...rest,
  rows: [volumes, nodes, pools, syncs].map((part) => (part.known ? Object.fromEntries(part.value) : part.why)),
});

const ZONE = 'topology.kubernetes.io/zone';
const OURS = [{ manager: 'holdfast-topology', fieldsV1: { 'f:metadata': { 'f:labels': { [`f:${ZONE}`]: {} } } } }];

const few = fc.integer({ min: 0, max: 1 });
const step = fc.oneof(
  fc.record({
    do: fc.constant('volume' as const),
    of: few,
    claim: few,
    zone: fc.option(few),
    phase: fc.constantFrom('Bound', 'Available', 'Released', 'Failed'),
  }),
  fc.record({ do: fc.constant('claim' as const), of: few, volume: few }),
  fc.record({ do: fc.constant('pod' as const), of: few, claim: few, node: few, isReady: fc.boolean() }),
  fc.record({ do: fc.constant('node' as const), of: few, zone: fc.option(few) }),
  fc.record({
    do: fc.constant('remove' as const),
    of: few,
    kind: fc.constantFrom<Kind>('persistentvolumes', 'persistentvolumeclaims', 'pods', 'nodes'),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const NAMES: Readonly<Record<Kind, string>> = {
  persistentvolumes: 'v',
  persistentvolumeclaims: 'c',
  pods: 'p',
  nodes: 'n',
};

function take(world: World, it: Step): void {
  const zoned = (zone: number | null) =>
    zone === null ? {} : { labels: { [ZONE]: `zone-${zone}` }, managedFields: OURS };
  switch (it.do) {
    case 'volume': {
      const claimRef = { namespace: 'ns', name: `c${it.claim}`, uid: `uid-of-c${it.claim}` };
      const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, claimRef };
      world.put('persistentvolumes', {
        metadata: { name: `v${it.of}`, ...zoned(it.zone) },
        spec,
        status: { phase: it.phase },
      } as KubeObject);
      break;
    }
    case 'claim':
      world.put('persistentvolumeclaims', {
        metadata: { name: `c${it.of}`, namespace: 'ns' },
        spec: { volumeName: `v${it.volume}` },
      } as KubeObject);
      break;
    case 'pod': {
      const conditions = [{ type: 'Ready', status: it.isReady ? 'True' : 'False' }];
      const spec = {
        nodeName: `n${it.node}`,
        volumes: [{ name: 'x', persistentVolumeClaim: { claimName: `c${it.claim}` } }],
      };
      world.put('pods', {
        metadata: { name: `p${it.of}`, namespace: 'ns' },
        spec,
        status: { phase: 'Running', conditions },
      } as KubeObject);
      break;
    }
    case 'node':
      world.put('nodes', { metadata: { name: `n${it.of}`, ...zoned(it.zone) } });
      break;
    case 'remove':
      world.remove(it.kind, `${NAMES[it.kind]}${it.of}`);
  }
}

const KINDS: readonly Kind[] = ['persistentvolumes', 'persistentvolumeclaims', 'pods', 'nodes'];

test('what was worked out change by change is what would be worked out from all of it', () => {
  const unread = fc.subarray([...KINDS]);
  fc.assert(
    fc.property(unread, fc.nat(40), fc.array(step, { maxLength: 40 }), (late, when, steps) => {
      const world = new World(late);
      const arrive = () => {
        for (const kind of late) world.read(kind, { synced: true });
      };
      for (const [index, each] of steps.entries()) {
        if (index === when) arrive();
        take(world, each);
        world.picture.refresh();
      }
      arrive();
      // That volumes are labelled here is not forgotten when the last of them goes.
      const other = world.anew();
      const [shown, expected] = [world.shown(), other.shown()];
      if (world.picture.parts.isTopologyInUse === other.picture.parts.isTopologyInUse) expect(shown).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

const rowOf = (world: World, name: string) => {
  world.picture.refresh();
  const { volumes } = world.picture.parts;
  return volumes.known ? volumes.value.get(name)?.row : undefined;
};

test.each<Kind>(['persistentvolumeclaims', 'pods', 'nodes'])('that %s were read late is seen in the rows', (kind) => {
  const world = new World([kind]);
  take(world, { do: 'volume', of: 0, claim: 0, zone: 0, phase: 'Bound' });
  take(world, { do: 'claim', of: 0, volume: 0 });
  take(world, { do: 'pod', of: 0, claim: 0, node: 0, isReady: true });
  take(world, { do: 'node', of: 0, zone: 1 });
  expect(rowOf(world, 'v0')).toMatchObject({ health: 'unknown', note: expect.stringContaining('cannot be said') });
  world.read(kind, { synced: true });
  expect(rowOf(world, 'v0')?.health).toBe('busy');
  world.read(kind, { available: false });
  expect(rowOf(world, 'v0')?.health).toBe('unknown');
});

describe('what the agents say', () => {
  const VOLUME = 'local-1';
  const labelled = (node: string) => ({
    metadata: { name: VOLUME, labels: { [NODE_LABEL]: node } },
    spec: { capacity: { storage: '1Gi' }, local: { path: '/dev/sdb' } },
    status: { phase: 'Available' },
  });
  const aNode = (name: string) =>
    ({ metadata: { name }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }) as KubeObject;
  const report = (node: string, namespace: string, state: ReadState, at: string) => {
    const device = { volume: VOLUME, path: '/dev/sdb', device: 'path:/dev/sdb', identity: { sizeBytes: 1 }, state };
    return devicesReports.mapOf(aNodeReport({ node, at, devices: [device] }), namespace);
  };
  const aWorld = () => {
    const world = new World();
    for (const name of ['n0', 'n1']) world.put('nodes', aNode(name));
    world.put('persistentvolumes', labelled('n0'));
    return { world, now: () => world.clock.now().toISOString() };
  };
  const nodeIn = ({ picture }: World, name: string) => {
    picture.refresh();
    const { nodes } = picture.parts;
    return nodes.known ? nodes.value.get(name) : undefined;
  };
  const verdictIn = ({ picture, clock }: World) => {
    picture.refresh();
    return overviewOf(picture.parts, clock.now()).verdict;
  };
  const FAILED = { is: 'failed', why: 'I/O error' } as const;
  const REFUSED = { is: 'refused', fact: 'hasForeignData', why: 'x', remedy: '', canBeApproved: true } as const;

  test('of a volume is believed on its own node only', () => {
    const { world, now } = aWorld();
    world.put('configmaps', report('n0', 'storage', { is: 'available' }, now()));
    expect([rowOf(world, VOLUME)?.health, verdictIn(world).health]).toEqual(['well', 'well']);
    world.put('configmaps', report('n1', 'storage', FAILED, now()));
    expect(rowOf(world, VOLUME)).toMatchObject({ health: 'well', node: 'n0' });
    expect(nodeIn(world, 'n1')?.row.health).toBe('failed');
    world.put('configmaps', report('n0', 'storage', FAILED, now()));
    expect(rowOf(world, VOLUME)).toMatchObject({ health: 'failed', node: 'n0' });
  });

  test.each([
    ['before', 'aa-tenant'],
    ['after', 'zz-tenant'],
  ])('is not believed where two say to be the agent, whose namespace comes %s its own', (_when, tenant) => {
    const { world, now } = aWorld();
    world.put('configmaps', report('n0', 'storage', FAILED, now()));
    world.put('configmaps', report('n0', tenant, REFUSED, now()));
    expect(rowOf(world, VOLUME)?.health).toBe('unknown');
    expect(nodeIn(world, 'n0')?.row.devices[0]).not.toHaveProperty('approve');
    expect(nodeIn(world, 'n0')).toMatchObject({
      row: { health: 'unknown' },
      needs: [
        {
          severity: 'urgent',
          what: expect.stringMatching(
            new RegExp(`(?=.*storage/holdfast-devices-n0)(?=.*${tenant}/holdfast-devices-n0)`),
          ),
        },
      ],
    });
    expect(verdictIn(world)).toEqual({ health: 'attention', sentence: 'Not all of it. 1 thing needs you now.' });
  });

  test('is not believed when it was said long ago', async () => {
    const { world, now } = aWorld();
    world.put('configmaps', report('n0', 'storage', { is: 'available' }, now()));
    expect(verdictIn(world).health).toBe('well');
    await world.clock.advance(11 * 60_000);
    world.picture.lookAgain();
    expect(rowOf(world, VOLUME)?.health).toBe('unknown');
    expect(nodeIn(world, 'n0')).toMatchObject({ row: { health: 'unknown' }, needs: [{ id: 'silent:devices:n0' }] });
    expect(verdictIn(world).health).toBe('attention');
  });

  test('is unknown when it may not be read, and the verdict says so', () => {
    const { world, now } = aWorld();
    world.put('configmaps', report('n0', 'storage', { is: 'available' }, now()));
    expect(verdictIn(world).health).toBe('well');
    world.read('configmaps', { available: false });
    expect(rowOf(world, VOLUME)?.health).toBe('unknown');
    expect(nodeIn(world, 'n1')?.row.health).toBe('unknown');
    expect(verdictIn(world)).toMatchObject({
      health: 'unknown',
      sentence: expect.stringContaining('The reports of agents cannot be seen: not yours.'),
    });
  });
});

test.each<AnyKind>(['persistentvolumeclaims', 'pods', 'nodes', 'configmaps', 'persistentvolumesyncs'])(
  'without %s nothing is said to be well',
  (kind) => {
    const world = new World();
    take(world, { do: 'volume', of: 0, claim: 0, zone: null, phase: 'Available' });
    const verdict = () => {
      world.picture.refresh();
      return overviewOf(world.picture.parts, world.clock.now()).verdict;
    };
    expect(verdict().health).toBe('well');
    world.read(kind, { available: false });
    expect(verdict()).toMatchObject({ health: 'unknown', sentence: expect.stringContaining('annot be seen') });
  },
);

test('a volume is exported once an export is newer than it, and not by its label alone', () => {
  const world = new World();
  const volume = (value: string) =>
    ({
      metadata: { name: 'v', creationTimestamp: '2026-01-01T00:00:00Z', labels: { [SYNC_LABEL]: value } },
    }) as KubeObject;
  const sync = (status: object) =>
    world.put('persistentvolumesyncs', {
      metadata: { name: 's' },
      spec: { mode: 'Protected', protectedCluster: 'x' },
      status,
    } as KubeObject);
  const exported = (exportedAt: string) => ({ export: { key: 'k', exportedAt, sha256: '' } });
  world.put('persistentvolumes', volume(SYNC_ENABLED));
  expect(rowOf(world, 'v')?.sync).toBe('to be exported');
  sync({});
  expect(rowOf(world, 'v')?.sync).toBe('to be exported');
  sync(exported('2020-01-01T00:00:00Z'));
  expect(rowOf(world, 'v')?.sync).toBe('to be exported');
  sync(exported('2026-01-02T00:00:00Z'));
  expect(rowOf(world, 'v')?.sync).toBe('exported');
  world.put('persistentvolumes', volume('disabled'));
  expect(rowOf(world, 'v')).not.toHaveProperty('sync');
});

test('of what has changed nothing else is told', () => {
  const world = new World();
  for (const of of [0, 1, 2]) take(world, { do: 'volume', of, claim: of, zone: null, phase: 'Available' });
  expect([...world.picture.refresh().volumes]).toEqual(['v0', 'v1', 'v2']);
  take(world, { do: 'volume', of: 1, claim: 1, zone: null, phase: 'Failed' });
  expect([...world.picture.refresh().volumes]).toEqual(['v1']);
  take(world, { do: 'claim', of: 2, volume: 2 });
  take(world, { do: 'pod', of: 0, claim: 2, node: 0, isReady: true });
  expect([...world.picture.refresh().volumes]).toEqual(['v2']);
  world.remove('persistentvolumes', 'v0');
  expect([...world.picture.refresh().volumes]).toEqual(['v0']);
  expect([...world.picture.refresh().volumes]).toEqual([]);
});

test('a volume whose pod runs in another zone than it says is told as soon as the node says so', () => {
  const world = new World();
  take(world, { do: 'volume', of: 0, claim: 0, zone: 0, phase: 'Bound' });
  take(world, { do: 'claim', of: 0, volume: 0 });
  take(world, { do: 'pod', of: 0, claim: 0, node: 0, isReady: true });
  take(world, { do: 'node', of: 0, zone: 0 });
  const health = () => {
    world.picture.refresh();
    const { volumes } = world.picture.parts;
    return volumes.known ? volumes.value.get('v0')?.row.health : undefined;
  };
  expect(health()).toBe('well');
  take(world, { do: 'node', of: 0, zone: 1 });
  expect(health()).toBe('busy');
});

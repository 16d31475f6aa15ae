/** What is shown of a cluster stays right, however it came to be as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Store } from '../kit/cache/store.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import type { Parts } from './overview.ts';
import { Picture } from './picture.ts';
import { consoleViews } from './views.ts';

type Kind = 'persistentvolumes' | 'persistentvolumeclaims' | 'pods' | 'nodes';

/** A console's caches without a server. */
class World {
  readonly #stores: { readonly plural: string; readonly store: Pick<Store<KubeObject, unknown>, 'put' | 'remove'> }[] =
    [];
  readonly objects = new Map<string, readonly [Kind, KubeObject]>();
  readonly picture: Picture;
  #version = 0;

  constructor() {
    const stores = this.#stores;
    const views = consoleViews({
      view(resource, spec) {
        const store = new Store(spec.project, { synced: true, available: true, staleMs: 0 });
        if (spec.indexes) store.index(spec.indexes);
        stores.push({ plural: resource.plural, store: store as unknown as (typeof stores)[number]['store'] });
        return store as never;
      },
    });
    this.picture = new Picture({
      views,
      clock: new VirtualClock(),
      canReadStore: false,
      whyNot: () => undefined,
      onChange: () => {},
    });
  }

  put(kind: Kind, object: KubeObject): void {
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

test('what was worked out change by change is what would be worked out from all of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = new World();
      for (const each of steps) {
        take(world, each);
        world.picture.refresh();
      }
      // That volumes are labelled here is not forgotten when the last of them goes.
      const other = world.anew();
      const [shown, expected] = [world.shown(), other.shown()];
      if (world.picture.parts.isTopologyInUse === other.picture.parts.isTopologyInUse) expect(shown).toEqual(expected);
    }),
    { numRuns: 300 },
  );
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

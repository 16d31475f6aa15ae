import { expect, test } from 'vitest';
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { NAMESPACES } from '../../api/namespaces.ts';
import type { KubeObject, OwnerReference, Resource } from '../../kit/kube/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, SERVICE_ACCOUNTS } from '../kinds/resources.ts';
import { SimulatedWorld } from './simulated.ts';

function map(world: SimulatedWorld, name: string, owners: readonly string[] = [], more: Partial<OwnerReference> = {}) {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner,
    uid: world.objects.get(CONFIG_MAPS, `default/${owner}`)?.metadata.uid ?? 'gone',
    ...more,
  }));
  return world.objects.create(CONFIG_MAPS, { metadata: { name, namespace: 'default', ownerReferences } });
}

const names = (world: SimulatedWorld) =>
  world.objects
    .list(CONFIG_MAPS)
    .filter(({ metadata }) => metadata.namespace === 'default' && metadata.name !== 'kube-root-ca.crt')
    .map(({ metadata }) => metadata.name);

async function family(more: Partial<OwnerReference> = {}): Promise<SimulatedWorld> {
  const world = new SimulatedWorld();
  map(world, 'parent');
  map(world, 'child', ['parent'], more);
  map(world, 'grandchild', ['child'], more);
  await world.pass();
  return world;
}

test('what an owner leaves behind goes after it', async () => {
  const world = await family();
  expect(names(world)).toEqual(['child', 'grandchild', 'parent']);
  world.objects.remove(CONFIG_MAPS, 'default/parent', { propagationPolicy: 'Background' });
  expect(names(world)).toEqual(['child', 'grandchild']);
  await world.pass();
  expect(names(world)).toEqual([]);
});

test('in the foreground it goes before its owner', async () => {
  const world = await family({ blockOwnerDeletion: true });
  const gone: string[] = [];
  world.objects.onChange(CONFIG_MAPS, ({ type, key }) => type === 'DELETED' && gone.push(key));
  world.objects.remove(CONFIG_MAPS, 'default/parent', { propagationPolicy: 'Foreground' });
  await world.pass();
  expect(gone).toEqual(['default/grandchild', 'default/child', 'default/parent']);
});

test('what is orphaned stays, and has no owner any more', async () => {
  const world = await family();
  world.objects.remove(CONFIG_MAPS, 'default/parent', { propagationPolicy: 'Orphan' });
  await world.pass();
  expect(names(world)).toEqual(['child', 'grandchild']);
  expect(world.objects.get(CONFIG_MAPS, 'default/child')?.metadata.ownerReferences ?? []).toEqual([]);
});

test('what has another owner stays', async () => {
  const world = new SimulatedWorld();
  map(world, 'mother');
  map(world, 'father');
  map(world, 'child', ['mother', 'father']);
  world.objects.remove(CONFIG_MAPS, 'default/mother', { propagationPolicy: 'Background' });
  await world.pass();
  expect(names(world)).toEqual(['child', 'father']);
});

test('an owner of the same name is not the owner', async () => {
  const world = new SimulatedWorld();
  map(world, 'child', ['parent']);
  map(world, 'parent');
  await world.pass();
  expect(names(world)).toEqual(['parent']);
});

const owned = (
  apiVersion: string,
  kind: string,
  name: string,
  uid = 'some',
): { ownerReferences: OwnerReference[] } => ({
  ownerReferences: [{ apiVersion, kind, name, uid }],
});

test('what has no namespace is not collected for an owner that has one, whether that is there or not', async () => {
  const world = new SimulatedWorld();
  const { uid = '' } = world.claim('living').metadata;
  world.volume('of-the-living', {}, owned('v1', 'PersistentVolumeClaim', 'living', uid));
  world.volume('of-nobody', {}, owned('v1', 'PersistentVolumeClaim', 'nobody'));
  await world.pass(60);
  expect(world.theVolume('of-the-living').metadata.deletionTimestamp).toBeUndefined();
  expect(world.theVolume('of-nobody').metadata.deletionTimestamp).toBeUndefined();
});

test('what has an owner of a kind that is not served stays, whatever becomes of its other owners', async () => {
  const world = new SimulatedWorld();
  const { ownerReferences } = owned('example.com/v1', 'Unheard', 'of');
  const gone = owned('v1', 'ConfigMap', 'gone').ownerReferences;
  const create = (name: string, owners: OwnerReference[]) =>
    world.objects.create(CONFIG_MAPS, { metadata: { name, namespace: 'default', ownerReferences: owners } });
  create('one', ownerReferences);
  create('two', [...ownerReferences, ...gone]);
  await world.pass(60);
  expect(names(world)).toEqual(['one', 'two']);
});

const WIDGETS: Resource = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

const definition: KubeObject & { readonly spec: object } = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: WIDGETS.group,
    scope: 'Namespaced',
    names: { plural: WIDGETS.plural, kind: WIDGETS.kind },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

test('what has lost its owner goes, even if the kind of the owner went with it', async () => {
  const world = new SimulatedWorld();
  world.objects.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  await world.pass();
  const { uid = '' } = world.objects.create(WIDGETS, { metadata: { name: 'w', namespace: 'default' } }).metadata;
  const metadata = { name: 'child', namespace: 'default', ...owned('example.com/v1', 'Widget', 'w', uid) };
  world.objects.create(CONFIG_MAPS, { metadata });
  await world.pass();
  expect(names(world)).toEqual(['child']);
  world.objects.remove(CUSTOM_RESOURCE_DEFINITIONS, 'widgets.example.com');
  await world.pass(60);
  expect(names(world)).toEqual([]);
});

test('nothing is remembered of owners and dependents that are gone', async () => {
  const world = await family({ blockOwnerDeletion: true });
  expect(world.world.remembered).toBeGreaterThan(0);
  world.objects.remove(CONFIG_MAPS, 'default/child', { propagationPolicy: 'Orphan' });
  await world.pass();
  world.objects.remove(CONFIG_MAPS, 'default/parent', { propagationPolicy: 'Foreground' });
  await world.pass();
  expect(names(world)).toEqual(['grandchild']);
  expect(world.world.remembered).toBe(0);
});

test('a namespace has what pods need, and takes everything with it', async () => {
  const world = new SimulatedWorld();
  world.objects.create(NAMESPACES, { metadata: { name: 'team' } });
  await world.pass();
  expect(world.objects.get(SERVICE_ACCOUNTS, 'team/default')).toBeDefined();
  expect(world.objects.get(CONFIG_MAPS, 'team/kube-root-ca.crt')).toBeDefined();
  const held = { name: 'held', namespace: 'team', finalizers: ['example.com/hold'] };
  const made = world.objects.create(CONFIG_MAPS, { metadata: held });
  world.objects.remove(NAMESPACES, 'team');
  await world.pass();
  expect(world.objects.get(NAMESPACES, 'team')?.metadata.deletionTimestamp).toBeDefined();
  expect(() => world.objects.create(CONFIG_MAPS, { metadata: { name: 'new', namespace: 'team' } })).toThrow(
    'being terminated',
  );
  const live = world.objects.get(CONFIG_MAPS, 'team/held') ?? made;
  world.objects.update(CONFIG_MAPS, { ...live, metadata: { ...live.metadata, finalizers: [] } });
  await world.pass();
  expect(world.objects.get(NAMESPACES, 'team')).toBeUndefined();
});

test('what is told is forgotten an hour later, and nothing is left that waits', async () => {
  const world = new SimulatedWorld();
  world.claim('data');
  await world.pass();
  expect(world.toldOf('data')).toHaveLength(1);
  await world.pass(3600);
  expect(world.toldOf('data')).toEqual([]);
  world.world.stop();
  await world.pass(3600);
  expect(world.clock.pending).toBe(0);
});

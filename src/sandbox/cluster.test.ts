/** The kit's own client and caches, on the sandbox. */
import { expect, test } from 'vitest';
import { CONFIG_MAPS, type ConfigMap } from '../api/config-maps.ts';
import { NODES } from '../api/nodes.ts';
import { PODS } from '../api/pods.ts';
import { Caches } from '../kit/cache/caches.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { Cluster } from './cluster.ts';
import { seeded } from './seeded.ts';

function world(historyLength?: number) {
  const clock = new VirtualClock();
  const random = seeded(1);
  const cluster = new Cluster({ clock, random, ...(historyLength && { historyLength }) });
  const client = new KubeClient({ transport: cluster.transport(), clock, random });
  const stop = new AbortController();
  const caches = new Caches({ client, clock, random, log: new RecordingLog() });
  return { clock, cluster, client, caches, stop };
}

const aMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { name, namespace: 'default' },
  data,
});

test('the client creates, reads, changes and deletes', async () => {
  const { client } = world();
  const ref = { namespace: 'default', name: 'a' };
  const made = await client.create(CONFIG_MAPS, aMap('a', { x: '1' }));
  expect(made).toMatchObject({ kind: 'ConfigMap', metadata: { uid: expect.any(String) }, data: { x: '1' } });
  expect(await client.get(CONFIG_MAPS, ref)).toEqual(made);
  await client.mergePatch(CONFIG_MAPS, ref, { data: { y: '2' } });
  await client.jsonPatch(CONFIG_MAPS, ref, [{ op: 'remove', path: '/data/x' }]);
  expect((await client.get(CONFIG_MAPS, ref)).data).toEqual({ y: '2' });
  await expect(client.update(CONFIG_MAPS, made)).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
  expect(await client.delete(CONFIG_MAPS, ref)).toBe(true);
  expect(await client.find(CONFIG_MAPS, ref)).toBeUndefined();
});

test('caches see what is there, and what happens', async () => {
  const { clock, client, caches, stop } = world();
  await client.create(CONFIG_MAPS, aMap('a', { x: '1' }));
  const view = caches.view(CONFIG_MAPS, { namespace: 'default', project: ({ data }) => data?.x });
  void caches.run(stop.signal);
  await clock.advance(0);
  expect([...view.keys()]).toEqual(['default/a']);
  await client.create(CONFIG_MAPS, aMap('b', { x: '2' }));
  await client.mergePatch(CONFIG_MAPS, { namespace: 'default', name: 'a' }, { data: { x: '3' } });
  await clock.advance(0);
  expect([view.get('default/a'), view.get('default/b')]).toEqual(['3', '2']);
  await client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' });
  await clock.advance(0);
  expect([...view.keys()]).toEqual(['default/b']);
  stop.abort();
  await clock.advance(0);
});

test('caches stay in step for hours, through every end of their watches', async () => {
  const { clock, cluster, caches, stop } = world();
  const view = caches.view(CONFIG_MAPS, { namespace: 'default', project: ({ data }) => data?.x });
  void caches.run(stop.signal);
  await clock.advance(3 * 3_600_000);
  cluster.objects.create(CONFIG_MAPS, aMap('late', { x: '1' }));
  await clock.advance(0);
  expect(view.get('default/late')).toBe('1');
  expect(caches.stuck()).toEqual([]);
  stop.abort();
  await clock.advance(0);
  expect(clock.pending).toBe(0);
});

test('a cache that history has passed by begins anew and misses nothing', async () => {
  const { clock, cluster, caches, stop } = world(10);
  const view = caches.view(CONFIG_MAPS, { namespace: 'default', project: ({ data }) => data?.x });
  void caches.run(stop.signal);
  await clock.advance(0);
  for (let index = 0; index < 100; index++) cluster.objects.create(CONFIG_MAPS, aMap(`m${index}`, { x: `${index}` }));
  await clock.advance(60_000);
  expect([...view.keys()]).toHaveLength(100);
  stop.abort();
  await clock.advance(0);
});

test('pages of one list show one moment', async () => {
  const { cluster, client } = world();
  for (const name of ['a', 'b', 'c', 'd']) cluster.objects.create(CONFIG_MAPS, aMap(name));
  const seen: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.list(CONFIG_MAPS, { namespace: 'default', limit: 2, ...(token && { continue: token }) });
    seen.push(...page.items.map(({ metadata }) => metadata.name ?? ''));
    token = page.metadata.continue;
    cluster.objects.remove(CONFIG_MAPS, 'default/d', {});
    cluster.objects.create(CONFIG_MAPS, aMap('d'));
    cluster.objects.create(CONFIG_MAPS, aMap(`e${seen.length}`));
  } while (token);
  expect(seen).toEqual(['a', 'b', 'c', 'd']);
});

test('those who are part of the cluster are told at once, and bound by the same rules', () => {
  const { cluster } = world();
  const heard: string[] = [];
  cluster.objects.onChange(NODES, ({ type, key }) => heard.push(`${type} ${key}`));
  const made = cluster.objects.create(NODES, { metadata: { name: 'n1' } });
  cluster.objects.update(NODES, { ...made, status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
  cluster.objects.remove(NODES, 'n1');
  expect(heard).toEqual(['ADDED n1', 'MODIFIED n1', 'DELETED n1']);
  expect(() => cluster.objects.update(NODES, made)).toThrow('nodes "n1" not found');
  expect(() => cluster.objects.create(PODS, { metadata: { name: 'p', namespace: 'nowhere' } })).toThrow(
    'namespaces "nowhere" not found',
  );
});

test('the same seed makes the same cluster', async () => {
  const run = async () => {
    const { cluster } = world();
    for (let n = 0; n < 5; n++)
      cluster.objects.create(CONFIG_MAPS, { metadata: { generateName: 'g-', namespace: 'default' } });
    return JSON.stringify(cluster.objects.list(CONFIG_MAPS));
  };
  expect(await run()).toBe(await run());
});

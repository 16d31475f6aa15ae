/** What callers learn who may see volumes, but not what is in the namespaces that use them. */
import { expect, test, vi } from 'vitest';
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { NAMESPACES } from '../api/namespaces.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { PODS } from '../api/pods.ts';
import { aNodeReport } from '../devices/builders.ts';
import { devicesReports } from '../devices/node-report.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../sandbox/kinds/resources.ts';
import type { VolumeStory } from './model.ts';
import { SimulatedConsole } from './simulated-console.ts';

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Somebody who may read these; gives their token. */
function reader({ cluster, objects }: SimulatedConsole, name: string, ...resources: string[]): string {
  const rules = [{ apiGroups: [''], resources, verbs: ['get', 'list', 'watch'] }];
  objects.create(CLUSTER_ROLES, { metadata: { name }, rules } as KubeObject);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
  objects.create(CLUSTER_ROLE_BINDINGS, { metadata: { name }, roleRef, subjects } as KubeObject);
  return cluster.access.tokens.give({ name, groups: ['system:authenticated'] });
}

/** A volume whose node has a zone that it cannot carry, which is trouble with names in it. */
async function aWorld(): Promise<SimulatedConsole> {
  const console = await SimulatedConsole.open({ withTokens: true });
  const { objects, console: cluster } = console;
  objects.create(NAMESPACES, { metadata: { name: 'red' } });
  objects.create(NODES, { metadata: { name: 'hidden-node', labels: { 'topology.kubernetes.io/zone': 'a__b' } } });
  objects.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'c', namespace: 'red' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
  } as KubeObject);
  const uid = objects.get(PERSISTENT_VOLUME_CLAIMS, 'red/c')?.metadata.uid ?? '';
  objects.create(PERSISTENT_VOLUMES, {
    metadata: { name: 'v' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      nfs: { server: 'x', path: '/' },
      claimRef: { namespace: 'red', name: 'c', uid },
    },
  });
  objects.create(PODS, {
    metadata: { name: 'secret', namespace: 'red' },
    spec: {
      nodeName: 'hidden-node',
      containers: [{ name: 'main', image: 'x' }],
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }],
    },
  } as KubeObject);
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const status = (patch: object) => ({ status: patch });
  const under = { subresource: 'status' } as const;
  await cluster.client.mergePatch(PERSISTENT_VOLUMES, { name: 'v' }, status({ phase: 'Bound' }), under);
  const inRed = (name: string) => ({ namespace: 'red', name });
  await cluster.client.mergePatch(PERSISTENT_VOLUME_CLAIMS, inRed('c'), status({ phase: 'Bound' }), under);
  const running = status({ phase: 'Running', conditions: [ready] });
  await cluster.client.mergePatch(PODS, inRed('secret'), running, under);
  await eventually(() => {
    const { volumes } = console.console.parts;
    expect(JSON.stringify(volumes.known && volumes.value.get('v'))).toMatch(/secret.*hidden-node/);
  });
  return console;
}

async function toldTo(console: SimulatedConsole, token: string) {
  using following = await console.follow(undefined, bearer(token));
  await eventually(() => expect(following.events).not.toEqual([]));
  const answer = await console.ask('/api/clusters/here/volumes/v', { headers: bearer(token) });
  return { state: following.events[0]?.message, story: answer.json() as VolumeStory };
}

test('pods and their nodes are named to those who may list pods, and to nobody else', async () => {
  await using console = await aWorld();
  const all = await toldTo(console, reader(console, 'ada', 'persistentvolumes', 'pods', 'events'));
  expect(JSON.stringify(all.state)).toMatch(/secret/);
  expect(all.story.zoneWhy).toMatch(/hidden-node/);
  const some = await toldTo(console, reader(console, 'bob', 'persistentvolumes', 'events'));
  expect(some.story.row).toMatchObject({ name: 'v', claim: 'red/c' });
  expect(some.story).not.toHaveProperty('zoneWhy');
  expect(JSON.stringify(some)).not.toMatch(/secret|hidden/);
});

test('disks are not shown to those who may not read reports, also if there were none when they came', async () => {
  await using console = await SimulatedConsole.open({ withTokens: true });
  console.objects.create(NODES, { metadata: { name: 'node-1' } });
  await eventually(() => expect(console.console.parts.nodes).toMatchObject({ value: { size: 1 } }));
  const token = reader(console, 'ada', 'persistentvolumes', 'nodes');
  using following = await console.follow(undefined, bearer(token));
  await eventually(() =>
    expect(following.events[0]?.message).toMatchObject({
      state: { nodes: {}, unknown: { nodes: 'you may not list the configmaps of the agents' } },
    }),
  );
  const device = { volume: 'local-1', path: '/dev/sdb', state: { is: 'available' }, device: 'wwid:1' } as const;
  const report = aNodeReport({ node: 'node-1', devices: [{ ...device, identity: { sizeBytes: 1024, wwid: '1' } }] });
  console.objects.create(CONFIG_MAPS, devicesReports.mapOf(report, 'kube-system'));
  console.objects.create(PERSISTENT_VOLUMES, {
    metadata: { name: 'later' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, nfs: { server: 'x', path: '/' } },
  });
  await eventually(() => {
    const { nodes } = console.console.parts;
    expect(nodes.known && nodes.value.get('node-1')?.row.devices).toHaveLength(1);
    expect(JSON.stringify(following.events)).toContain('later');
  });
  expect(JSON.stringify(following.events)).not.toContain('/dev/sdb');
});

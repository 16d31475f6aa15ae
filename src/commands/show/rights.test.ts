/** Watching under rights that a cluster really checks. */
import { expect, test } from 'vitest';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import { Cluster } from '../../sandbox/cluster.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../sandbox/kinds/resources.ts';
import { seeded } from '../../sandbox/seeded.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import type { Visitor } from '../visit.ts';
import { watch } from './watch.ts';

const ADA = { name: 'ada', groups: ['system:authenticated'] };

const aVolume = (name: string): KubeObject & { readonly spec: object } => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    nfs: { server: 'nfs.example.com', path: `/${name}` },
  },
});

/** What is written while a volume comes, to somebody with these rights on volumes. */
async function watchedWith(verbs: readonly string[]) {
  const clock = new VirtualClock();
  const cluster = new Cluster({ clock, random: seeded(1) });
  const rules = [{ apiGroups: [''], resources: ['persistentvolumes'], verbs }];
  cluster.objects.create(CLUSTER_ROLES, { metadata: { name: 'looks' }, rules } as KubeObject);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'looks' };
  const subjects = [{ kind: 'User', name: ADA.name, apiGroup: 'rbac.authorization.k8s.io' }];
  cluster.objects.create(CLUSTER_ROLE_BINDINGS, { metadata: { name: 'looks' }, roleRef, subjects } as KubeObject);
  cluster.objects.create(PERSISTENT_VOLUMES, aVolume('first'));
  const client = new KubeClient({ transport: cluster.transport(ADA), clock, random: () => 0.5 });
  const stop = new AbortController();
  const terminal = aTerminal();
  const showing = {
    name: 'x',
    look: async ({ client: there, signal }: Visitor) =>
      (await there.list(PERSISTENT_VOLUMES, { signal })).items.map(({ metadata }) => metadata.name).join(' '),
    page: (names: string) => [{ sentences: [names] }],
  };
  const parts = {
    visitor: { client, signal: stop.signal, now: () => clock.now() },
    terminal,
    output: 'table',
    clock,
  } as const;
  const done = watch(showing, parts);
  await clock.advance(5_000);
  cluster.objects.create(PERSISTENT_VOLUMES, aVolume('second'));
  await clock.advance(2_500);
  stop.abort();
  await clock.advance(0);
  await done;
  return terminal.written;
}

test('who may watch sees what comes, and is told nothing', async () => {
  const { out, err } = await watchedWith(['list', 'watch']);
  expect(out).toContain('first second');
  expect(err).toBe('');
});

test('who may list and not watch sees what comes, too, and is told so once', async () => {
  const { out, err } = await watchedWith(['list']);
  expect(out).toContain('first second');
  expect(err).toMatch(/^persistentvolumes may not be watched, and are listed again and again instead: .*ada.*\n$/);
});

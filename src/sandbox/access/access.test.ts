/** Who may do what on a whole cluster, in the words of a kube-apiserver. */
import { expect, test } from 'vitest';
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { PODS } from '../../api/pods.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import { Cluster } from '../cluster.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS } from '../kinds/resources.ts';
import { seeded } from '../seeded.ts';
import { serviceAccountUser } from './tokens.ts';

const BOB = { kind: 'ServiceAccount', name: 'bob', namespace: 'default' };

function world() {
  const clock = new VirtualClock();
  const random = seeded(3);
  const cluster = new Cluster({ clock, random });
  const bob = cluster.objects.create(SERVICE_ACCOUNTS, { metadata: { name: 'bob', namespace: 'default' } });
  const client = new KubeClient({ transport: cluster.transport(serviceAccountUser('default', 'bob')), clock, random });
  const grant = (rules: readonly object[]) => {
    cluster.objects.create(CLUSTER_ROLES, { metadata: { name: 'bob' }, rules } as never);
    const roleRef = { kind: 'ClusterRole', name: 'bob' };
    cluster.objects.create(CLUSTER_ROLE_BINDINGS, { metadata: { name: 'bob' }, roleRef, subjects: [BOB] } as never);
  };
  return { clock, cluster, bob, client, grant };
}

test('who has no right is told which one', async () => {
  const { client } = world();
  await expect(client.list(PODS, { namespace: 'default' })).rejects.toMatchObject({
    status: 403,
    detail:
      'pods is forbidden: User "system:serviceaccount:default:bob" cannot list resource "pods" in API group "" in the namespace "default"',
  });
  await expect(client.get(PODS, { namespace: 'default', name: 'x' })).rejects.toMatchObject({
    detail:
      'pods "x" is forbidden: User "system:serviceaccount:default:bob" cannot get resource "pods" in API group "" in the namespace "default"',
  });
  await expect(client.raw('GET', '/metrics')).rejects.toMatchObject({
    detail: 'forbidden: User "system:serviceaccount:default:bob" cannot get path "/metrics"',
  });
});

test('a role that is bound in a namespace counts there only, from then on', async () => {
  const { client, cluster } = world();
  const metadata = { name: 'reader', namespace: 'default' };
  const rules = [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }];
  cluster.objects.create(ROLES, { metadata, rules } as never);
  await expect(client.list(CONFIG_MAPS, { namespace: 'default' })).rejects.toMatchObject({ status: 403 });
  const roleRef = { kind: 'Role', name: 'reader' };
  cluster.objects.create(ROLE_BINDINGS, { metadata, roleRef, subjects: [BOB] } as never);
  await expect(client.list(CONFIG_MAPS, { namespace: 'default' })).resolves.toMatchObject({ items: [] });
  await expect(client.list(CONFIG_MAPS, { namespace: 'kube-system' })).rejects.toMatchObject({ status: 403 });
  await expect(client.list(CONFIG_MAPS)).rejects.toMatchObject({ status: 403 });
  cluster.objects.remove(ROLES, 'default/reader');
  await expect(client.list(CONFIG_MAPS, { namespace: 'default' })).rejects.toMatchObject({
    detail: expect.stringContaining('RBAC: role.rbac.authorization.k8s.io "reader" not found'),
  });
});

test('nobody gives what he does not have, by a role or by a binding, unless he may', async () => {
  const { client, grant, cluster } = world();
  const rbac = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles', 'clusterrolebindings'] };
  grant([{ verbs: ['create'], ...rbac }]);
  const rules = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }];
  const role = { metadata: { name: 'more' }, rules };
  await expect(client.create(CLUSTER_ROLES, role as never)).rejects.toMatchObject({
    status: 403,
    detail:
      'clusterroles.rbac.authorization.k8s.io "more" is forbidden: user "system:serviceaccount:default:bob" (groups=["system:serviceaccounts" "system:serviceaccounts:default" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
  });
  const binding = {
    metadata: { name: 'more' },
    roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [BOB],
  };
  await expect(client.create(CLUSTER_ROLE_BINDINGS, binding as never)).rejects.toMatchObject({ status: 403 });
  const found = cluster.objects.get(CLUSTER_ROLES, 'bob');
  cluster.objects.update(CLUSTER_ROLES, {
    ...found,
    rules: [{ verbs: ['create', 'bind', 'escalate'], ...rbac }],
  } as never);
  await client.create(CLUSTER_ROLES, role as never);
  await client.create(CLUSTER_ROLE_BINDINGS, binding as never);
  await expect(client.list(PODS)).resolves.toMatchObject({ items: [] });
});

test('a token is its account until it expires, or its account or what it is bound to goes', () => {
  const { clock, cluster, bob } = world();
  const { access, objects } = cluster;
  const subject = { namespace: 'default', name: 'bob', uid: bob.metadata.uid ?? '' };
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  const pod = objects.create(PODS, { metadata: { name: 'p', namespace: 'default' }, spec } as never);
  const boundTo = { kind: 'Pod', name: 'p', uid: pod.metadata.uid ?? '' } as const;
  const audience = ['https://kubernetes.default.svc'];
  const token = access.tokens.issue(subject, audience, 600);
  const bound = access.tokens.issue({ ...subject, boundTo, node: { name: 'n' } }, audience, 600);
  const holder = (one: string) => access.tokens.identify(one)?.user.name;
  expect([holder(token), holder(bound)]).toEqual(Array(2).fill('system:serviceaccount:default:bob'));
  expect(access.tokens.identify(bound)?.user.extra).toMatchObject({
    'authentication.kubernetes.io/node-name': ['n'],
    'authentication.kubernetes.io/pod-name': ['p'],
  });
  expect([holder(`${token}x`), holder('nonsense'), holder('')]).toEqual([undefined, undefined, undefined]);
  objects.remove(PODS, 'default/p', { gracePeriodSeconds: 0 });
  expect([holder(token), holder(bound)]).toEqual(['system:serviceaccount:default:bob', undefined]);
  clock.leap(600_000);
  expect(holder(token)).toBeUndefined();
  const fresh = access.tokens.issue(subject, audience, 600);
  objects.remove(SERVICE_ACCOUNTS, 'default/bob');
  expect(holder(fresh)).toBeUndefined();
});

test('reviews tell what would be allowed, and whose a token is', async () => {
  const { cluster, client, grant, clock, bob } = world();
  grant([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]);
  const admin = new KubeClient({ transport: cluster.transport(), clock, random: seeded(4) });
  const ask = (by: KubeClient, plural: string, spec: object) => {
    const group = plural.includes('access') || plural.includes('rules') ? 'authorization' : 'authentication';
    return by.raw('POST', `/apis/${group}.k8s.io/v1/${plural}`, { spec });
  };
  const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };
  expect(await ask(client, 'selfsubjectaccessreviews', { resourceAttributes })).toMatchObject({
    status: {
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "bob" of ClusterRole "bob" to ServiceAccount "bob/default"',
    },
  });
  const user = 'system:serviceaccount:default:bob';
  const secrets = { ...resourceAttributes, resource: 'secrets' };
  expect(await ask(admin, 'subjectaccessreviews', { user, resourceAttributes: secrets })).toMatchObject({
    status: { allowed: false },
  });
  expect(await ask(client, 'selfsubjectrulesreviews', { namespace: 'default' })).toMatchObject({
    status: { resourceRules: expect.arrayContaining([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]) },
  });
  const subject = { namespace: 'default', name: 'bob', uid: bob.metadata.uid ?? '' };
  const token = cluster.access.tokens.issue(subject, ['https://kubernetes.default.svc'], 600);
  expect(await ask(admin, 'tokenreviews', { token })).toMatchObject({
    status: { authenticated: true, user: { username: user } },
  });
  expect(await ask(admin, 'tokenreviews', { token: 'x' })).toMatchObject({ status: { error: 'invalid bearer token' } });
});

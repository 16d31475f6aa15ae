import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Resource } from '../../../src/kit/kube/resource.ts';
import { LEASES } from '../../../src/kit/lead/lease.ts';
import { type Access, CACHED, type ControllerSpec } from '../../../src/kit/manifests/controller-spec.ts';
import { type Role, rolesOf, runtimeRoles } from '../../../src/kit/manifests/rbac.ts';
import { EVENTS } from '../../../src/kit/observe/event.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { createServiceAccount, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const core = (plural: string, kind: string, namespaced: boolean): Resource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
});
const PODS = core('pods', 'Pod', true);
const VOLUMES = core('persistentvolumes', 'PersistentVolume', false);
const CONFIG_MAPS = core('configmaps', 'ConfigMap', true);
const SECRETS = core('secrets', 'Secret', true);

const sample: ControllerSpec = {
  name: 'sample',
  runs: 'cluster',
  reads: [
    { resource: PODS, verbs: CACHED },
    { resource: VOLUMES, verbs: CACHED },
    { resource: CONFIG_MAPS, verbs: ['get'], scope: 'own' },
    { resource: SECRETS, verbs: ['get'], scope: 'own', names: ['ours'] },
  ],
  writes: [
    { resource: VOLUMES, verbs: ['patch', 'update'] },
    { resource: VOLUMES, subresource: 'status', verbs: ['patch'] },
    { resource: CONFIG_MAPS, verbs: ['create'], scope: 'own' },
    { resource: CONFIG_MAPS, verbs: ['delete'], names: ['ours'] },
  ],
};

const runtime: readonly Access[] = [
  { resource: EVENTS, verbs: ['create', 'patch'] },
  { resource: LEASES, verbs: ['get', 'watch', 'create', 'update'], scope: 'own' },
];

interface Question {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name: string;
}

const OWN = 'default';

/** Everything that could be asked about the resources in play, and about some that are not. */
function questions(): Question[] {
  const targets = [PODS, VOLUMES, CONFIG_MAPS, SECRETS, LEASES, EVENTS, core('nodes', 'Node', false)];
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  return targets.flatMap(({ group, plural, namespaced }) =>
    [undefined, 'status'].flatMap((subresource) =>
      verbs.flatMap((verb) =>
        (namespaced ? [OWN, 'kube-system'] : [undefined]).flatMap((namespace) =>
          ['ours', 'theirs'].map((name) => ({
            group,
            resource: plural,
            ...(subresource !== undefined && { subresource }),
            verb,
            ...(namespace !== undefined && { namespace }),
            name,
          })),
        ),
      ),
    ),
  );
}

const declares = (accesses: readonly Access[], question: Question): boolean =>
  accesses.some(
    ({ resource, subresource, verbs, scope, names }) =>
      resource.group === question.group &&
      resource.plural === question.resource &&
      subresource === question.subresource &&
      verbs.some((verb) => verb === question.verb) &&
      (scope !== 'own' || question.namespace === OWN) &&
      (names === undefined || names.includes(question.name)),
  );

/** An account with the roles as they are generated, bound as a chart binds them. */
async function anAccountWith(name: string, roles: readonly Role[]): Promise<ServiceAccount> {
  const account = await createServiceAccount(controlPlane, { name });
  const subjects = [{ kind: 'ServiceAccount', name, namespace: OWN }];
  for (const role of roles) {
    const root = '/apis/rbac.authorization.k8s.io/v1';
    const scope = role.kind === 'Role' ? `${root}/namespaces/${OWN}` : root;
    const kind = role.kind.toLowerCase();
    await controlPlane.admin.post(`${scope}/${kind}s`, role);
    await controlPlane.admin.post(`${scope}/${kind}bindings`, {
      metadata: role.metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: role.metadata.name },
      subjects,
    });
  }
  return account;
}

async function allowed(account: ServiceAccount): Promise<readonly Question[]> {
  const all = questions();
  const answers = await Promise.all(all.map((question) => account.can(question)));
  return all.filter((_, i) => answers[i]);
}

test.each([
  ['a controller', rolesOf(sample), [...sample.reads, ...sample.writes]],
  ['the runtime', runtimeRoles(), runtime],
])('%s may do exactly what it declares, and nothing more', async (who, roles, accesses) => {
  const expected = questions().filter((question) => declares(accesses, question));
  expect(expected.length).toBeGreaterThan(4);
  await using account = await anAccountWith(who.replaceAll(' ', '-'), roles);
  await eventually(async () => expect(await allowed(account)).toEqual(expected), { interval: 200 });
});

/** Gives a job exactly the rights that it declares, and the runtime's, to an account of its own. */
import type { ControllerSpec } from '../kit/manifests/controller-spec.ts';
import { type Role, rolesOf, runtimeRoles } from '../kit/manifests/rbac.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, SERVICE_ACCOUNTS } from './kinds/resources.ts';
import type { User } from './server/target.ts';
import type { Objects } from './store/objects.ts';

const RBAC = 'rbac.authorization.k8s.io';

export function accountOf(job: string, namespace = 'default'): User {
  return {
    name: `system:serviceaccount:${namespace}:holdfast-${job}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

export function grant(objects: Objects, spec: ControllerSpec, namespace = 'default'): void {
  grantTogether(objects, spec.name, [spec], namespace);
}

/** For a process that does several jobs. */
export function grantTogether(
  objects: Objects,
  name: string,
  specs: readonly ControllerSpec[],
  namespace = 'default',
): void {
  const account = `holdfast-${name}`;
  objects.create(SERVICE_ACCOUNTS, { metadata: { name: account, namespace } });
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  const roles = [...specs.flatMap((spec) => rolesOf(spec)), ...runtimeRoles()];
  for (const role of roles) bind(objects, role, account, subjects, namespace);
}

function bind(objects: Objects, role: Role, account: string, subjects: readonly object[], namespace: string): void {
  const { kind, metadata } = role;
  const isCluster = kind === 'ClusterRole';
  const place = isCluster ? {} : { namespace: metadata.namespace ?? namespace };
  const roles = isCluster ? CLUSTER_ROLES : ROLES;
  const key = isCluster ? metadata.name : `${place.namespace}/${metadata.name}`;
  if (!objects.get(roles, key)) objects.create(roles, { ...role, metadata: { ...metadata, ...place } });
  const binding = {
    metadata: { name: `${account}-${metadata.name}`, ...place },
    roleRef: { apiGroup: RBAC, kind, name: metadata.name },
    subjects,
  };
  objects.create(isCluster ? CLUSTER_ROLE_BINDINGS : ROLE_BINDINGS, binding);
}

/** The roles that every cluster has, as far as somebody in the sandbox needs them. */
import type { ApiObject } from '../api-object.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, RBAC } from '../kinds/resources.ts';
import type { Objects } from '../store/objects.ts';
import { MASTERS } from './authorizer.ts';

interface FirstRole {
  readonly name: string;
  readonly rules: readonly object[];
  /** The groups that have it. */
  readonly groups: readonly string[];
}

const AUTHENTICATED = 'system:authenticated';
const PUBLIC = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const paths = (nonResourceURLs: readonly string[]) => ({ verbs: ['get'], nonResourceURLs });

const ROLES: readonly FirstRole[] = [
  {
    name: 'cluster-admin',
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
    groups: [MASTERS],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ],
    groups: [AUTHENTICATED],
  },
  {
    name: 'system:discovery',
    rules: [paths([...PUBLIC, '/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'].sort())],
    groups: [AUTHENTICATED],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      paths([
        '/.well-known/openid-configuration',
        '/.well-known/openid-configuration/',
        '/openid/v1/jwks',
        '/openid/v1/jwks/',
      ]),
    ],
    groups: ['system:serviceaccounts'],
  },
  { name: 'system:public-info-viewer', rules: [paths(PUBLIC)], groups: [AUTHENTICATED, 'system:unauthenticated'] },
];

const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

export function createFirstRoles(objects: Objects): void {
  for (const { name, rules, groups } of ROLES) {
    const metadata = { name, labels: LABELS };
    const role: ApiObject = { metadata, rules };
    const subjects = groups.map((group) => ({ kind: 'Group', name: group }));
    const binding: ApiObject = { metadata, roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name }, subjects };
    objects.create(CLUSTER_ROLES, role);
    objects.create(CLUSTER_ROLE_BINDINGS, binding);
  }
}

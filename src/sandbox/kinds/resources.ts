/** Where the kinds live that the API server itself is about, and that no job of ours looks at. */
import type { Resource } from '../../kit/kube/resource.ts';

const resource = (group: string, plural: string, kind: string, namespaced: boolean): Resource => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
});

export const CORE_EVENTS = resource('', 'events', 'Event', true);
export const SERVICE_ACCOUNTS = resource('', 'serviceaccounts', 'ServiceAccount', true);

export const RBAC = 'rbac.authorization.k8s.io';
export const ROLES = resource(RBAC, 'roles', 'Role', true);
export const ROLE_BINDINGS = resource(RBAC, 'rolebindings', 'RoleBinding', true);
export const CLUSTER_ROLES = resource(RBAC, 'clusterroles', 'ClusterRole', false);
export const CLUSTER_ROLE_BINDINGS = resource(RBAC, 'clusterrolebindings', 'ClusterRoleBinding', false);

export const CUSTOM_RESOURCE_DEFINITIONS = resource(
  'apiextensions.k8s.io',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);

const ADMISSION = 'admissionregistration.k8s.io';
export const VALIDATING_ADMISSION_POLICIES = resource(
  ADMISSION,
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
  false,
);
export const VALIDATING_ADMISSION_POLICY_BINDINGS = resource(
  ADMISSION,
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
  false,
);

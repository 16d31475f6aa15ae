/** Where resources are served. */

const CORE = '/api/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

const NAMESPACED: Readonly<Record<string, string>> = {
  configmaps: CORE,
  events: CORE,
  persistentvolumeclaims: CORE,
  pods: CORE,
  secrets: CORE,
  serviceaccounts: CORE,
  services: CORE,
  'events.events.k8s.io': '/apis/events.k8s.io/v1',
  localsubjectaccessreviews: AUTHORIZATION,
  leases: '/apis/coordination.k8s.io/v1',
  poddisruptionbudgets: '/apis/policy/v1',
  rolebindings: RBAC,
  roles: RBAC,
  statefulsets: '/apis/apps/v1',
  // Those that cases define, and Holdfast ships.
  pvpools: '/apis/pvpool.noobaa.com/v1',
  widgets: '/apis/example.com/v1',
};

const CLUSTER_WIDE: Readonly<Record<string, string>> = {
  namespaces: CORE,
  nodes: CORE,
  persistentvolumesyncs: '/apis/storage.cndev.nl/v1alpha1',
  persistentvolumes: CORE,
  clusterrolebindings: RBAC,
  clusterroles: RBAC,
  customresourcedefinitions: '/apis/apiextensions.k8s.io/v1',
  selfsubjectaccessreviews: AUTHORIZATION,
  selfsubjectreviews: AUTHENTICATION,
  selfsubjectrulesreviews: AUTHORIZATION,
  storageclasses: '/apis/storage.k8s.io/v1',
  subjectaccessreviews: AUTHORIZATION,
  tokenreviews: AUTHENTICATION,
  validatingadmissionpolicies: ADMISSION,
  validatingadmissionpolicybindings: ADMISSION,
};

/** `configmaps/a` in the namespace of a case; what begins with a slash stays as it is. */
export function urlOf(path: string, namespace: string): string {
  if (path.startsWith('/')) return path;
  const [, plural = '', rest = ''] = /^([^/?]*)(.*)$/s.exec(path) ?? [];
  const [resource = ''] = plural.split('.');
  if (plural in CLUSTER_WIDE) return `${CLUSTER_WIDE[plural]}/${resource}${rest}`;
  if (!(plural in NAMESPACED)) throw new Error(`paths.ts does not say where ${plural} are`);
  return `${NAMESPACED[plural]}/namespaces/${namespace}/${resource}${rest}`;
}

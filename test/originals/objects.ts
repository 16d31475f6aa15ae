/** The objects that an original's manifests are made of, written shorter than Kubernetes has them. */
import type { PolicyRule } from '../harness/users.ts';
import type { Rendered } from '../integration/chart/helm.ts';

const RBAC = 'rbac.authorization.k8s.io';
export const READ = ['get', 'list', 'watch'];

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly [field: string]: unknown;
}

export interface Workload extends Rendered {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: { readonly metadata: object; readonly spec: PodSpec };
  };
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly [field: string]: unknown;
}

export const core = (resource: string, verbs: readonly string[]): PolicyRule => ({
  apiGroups: [''],
  resources: [resource],
  verbs,
});

export const account = (name: string, namespace: string): Rendered => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
});

export const role = (
  kind: 'Role' | 'ClusterRole',
  metadata: Rendered['metadata'],
  rules: readonly PolicyRule[],
): Rendered => ({ apiVersion: `${RBAC}/v1`, kind, metadata, rules });

export const binding = (
  kind: 'Role' | 'ClusterRole',
  metadata: Rendered['metadata'],
  to: string,
  subject: { readonly name: string; readonly namespace: string },
): Rendered => ({
  apiVersion: `${RBAC}/v1`,
  kind: `${kind}Binding`,
  metadata,
  roleRef: { apiGroup: RBAC, kind, name: to },
  subjects: [{ kind: 'ServiceAccount', ...subject }],
});

interface WorkloadParts {
  readonly kind: 'Deployment' | 'DaemonSet';
  readonly metadata: Rendered['metadata'];
  readonly selector: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
  readonly podAnnotations?: Readonly<Record<string, string>>;
}

export const workload = ({ kind, metadata, selector, pod, podAnnotations }: WorkloadParts): Workload => ({
  apiVersion: 'apps/v1',
  kind,
  metadata,
  spec: {
    selector: { matchLabels: selector },
    template: { metadata: { labels: selector, ...(podAnnotations && { annotations: podAnnotations }) }, spec: pod },
  },
});

/** A variable of the environment that names something of the pod itself. */
export const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

/** Asked of the kubelet over HTTP. */
export const probe = (path: string, port: number, more: object = {}) => ({ httpGet: { path, port }, ...more });

interface KindParts {
  readonly plural: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly spec: object;
  readonly status: object;
}

export const kind = ({ plural, group, version, kind: name, scope, spec, status }: KindParts): Rendered => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { plural, singular: name.toLowerCase(), kind: name, listKind: `${name}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', ...spec }, status: { type: 'object', ...status } },
          },
        },
      },
    ],
  },
});

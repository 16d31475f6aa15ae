/**
 * What the five originals put into a cluster, as far as others can see it: names, namespaces, labels, accounts and roles, written down from
 * their documents. Their programs are not run.
 */
import type { Rendered } from './helm.ts';

export interface Installed {
  readonly namespace: string;
  /** The release of helm that it is; nothing where it is applied by kubectl. */
  readonly release?: string;
  readonly objects: readonly Rendered[];
  /** Beside it, applied by kubectl in any case. */
  readonly beside?: readonly Rendered[];
}

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const core = (resource: string, verbs: readonly string[]): Rule => ({ apiGroups: [''], resources: [resource], verbs });

const account = (name: string, namespace: string): Rendered => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
});

const role = (kind: 'Role' | 'ClusterRole', metadata: Rendered['metadata'], rules: readonly Rule[]): Rendered => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata,
  rules,
});

const binding = (
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
  readonly pod: object;
  readonly podAnnotations?: Readonly<Record<string, string>>;
}

const workload = ({ kind, metadata, selector, pod, podAnnotations }: WorkloadParts): Rendered => ({
  apiVersion: 'apps/v1',
  kind,
  metadata,
  spec: {
    selector: { matchLabels: selector },
    template: { metadata: { labels: selector, ...(podAnnotations && { annotations: podAnnotations }) }, spec: pod },
  },
});

const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

function zoneOperator(): Installed {
  const name = 'pv-zone-operator';
  const namespace = 'kube-system';
  const resources = { cpu: '100m', memory: '128Mi' };
  return {
    namespace,
    objects: [
      account(name, namespace),
      role('ClusterRole', { name }, [
        ...['pods', 'persistentvolumeclaims', 'nodes'].map((resource) => core(resource, READ)),
        core('persistentvolumes', [...READ, 'update', 'patch']),
      ]),
      binding('ClusterRole', { name }, name, { name, namespace }),
      workload({
        kind: 'Deployment',
        metadata: { name, namespace, labels: { app: name } },
        selector: { app: name },
        pod: {
          serviceAccountName: name,
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          containers: [
            {
              name,
              image: 'docker.io/cinaq/pv-zone-operator:latest',
              args: ['--resync-period=60m'],
              resources: { requests: resources, limits: resources },
            },
          ],
        },
      }),
    ],
  };
}

function localPvProvisioner(): Installed {
  const name = 'local-pv-provisioner';
  const namespace = 'kube-system';
  const labels = { 'app.kubernetes.io/name': name };
  return {
    namespace,
    objects: [
      account(name, namespace),
      role('ClusterRole', { name }, [
        core('nodes', READ),
        core('persistentvolumes', [...READ, 'create', 'delete', 'patch', 'update']),
      ]),
      role('Role', { name, namespace }, [core('configmaps', READ)]),
      binding('Role', { name, namespace }, name, { name, namespace }),
      binding('ClusterRole', { name }, name, { name, namespace }),
      workload({
        kind: 'DaemonSet',
        metadata: { name, namespace, labels },
        selector: labels,
        podAnnotations: { 'prometheus.io/port': '8080' },
        pod: {
          serviceAccountName: name,
          containers: [
            {
              name,
              image: 'ghcr.io/cybozu/local-pv-provisioner:latest',
              args: ['--polling-interval=10s'],
              env: [field('LP_NAMESPACE_NAME', 'metadata.namespace'), field('LP_NODE_NAME', 'spec.nodeName')],
              ports: [{ containerPort: 8080, name: 'metrics' }],
              volumeMounts: [{ name: 'dev', mountPath: '/dev' }],
              securityContext: { runAsUser: 0, runAsGroup: 0, privileged: true },
            },
          ],
          volumes: [{ name: 'dev', hostPath: { path: '/dev' } }],
        },
      }),
    ],
    beside: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'pv-spec-cm-fs', namespace },
        data: { volumeMode: 'Filesystem', fsType: 'ext4', deviceDir: '/dev/disk/by-path', deviceNameFilter: '.*' },
      },
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'local-storage' },
        provisioner: 'kubernetes.io/no-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
        reclaimPolicy: 'Retain',
      },
    ],
  };
}

function k8sLocalPv(): Installed {
  const release = 'prod';
  const namespace = 'local-pv';
  const name = `${release}-k8s-local-pv`;
  const selector = { 'k8s-app': 'k8s-local-pv', release };
  const labels = { ...selector, chart: 'k8s-local-pv-0.1.5', heritage: 'Helm' };
  const sa = { name: `${name}-sa`, namespace };
  return {
    namespace,
    release,
    objects: [
      { ...account(sa.name, namespace), metadata: { ...sa, labels } },
      role('ClusterRole', { name: `${name}-role` }, [
        core('persistentvolumes', [...READ, 'patch']),
        core('events', ['list', 'watch']),
      ]),
      binding('ClusterRole', { name: `${name}-binding`, labels }, `${name}-role`, sa),
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'k8s-local-pv' },
        provisioner: 'k8s-local-pv-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: false,
      },
      workload({
        kind: 'DaemonSet',
        metadata: { name, namespace, labels },
        selector,
        pod: {
          serviceAccountName: sa.name,
          hostPID: true,
          hostIPC: true,
          hostNetwork: true,
          containers: [
            {
              name: 'k8s-local-pv',
              image: 'ntavares/k8s-local-pv:0.1.5',
              command: ['/k8s-local-pv', '-s', '-v'],
              securityContext: { privileged: true },
              volumeMounts: [{ mountPath: '/host', name: 'host' }],
            },
          ],
          volumes: [{ name: 'host', hostPath: { path: '/' } }],
        },
      }),
    ],
  };
}

function poolOperator(): Installed {
  const prefix = 'pv-pool-operator';
  const namespace = `${prefix}-system`;
  const labels = { 'control-plane': 'controller-manager' };
  const everything = (group: string, resource: string): Rule => ({
    apiGroups: [group],
    resources: [resource],
    verbs: ['*'],
  });
  return {
    namespace,
    objects: [
      role('ClusterRole', { name: `${prefix}-manager-role` }, [
        everything('', 'pods'),
        everything('', 'services'),
        everything('apps', 'statefulsets'),
        everything('pvpool.noobaa.com', 'pvpools'),
      ]),
      binding('ClusterRole', { name: `${prefix}-manager-rolebinding` }, `${prefix}-manager-role`, {
        name: 'default',
        namespace,
      }),
      workload({
        kind: 'Deployment',
        metadata: { name: `${prefix}-controller-manager`, namespace, labels },
        selector: labels,
        pod: {
          securityContext: { runAsUser: 65532 },
          terminationGracePeriodSeconds: 10,
          containers: [
            {
              name: 'kube-rbac-proxy',
              image: 'gcr.io/kubebuilder/kube-rbac-proxy:v0.5.0',
              ports: [{ containerPort: 8443, name: 'https' }],
            },
            {
              name: 'manager',
              image: 'kfirpayne/pv-pool-operator:v1.0.0',
              command: ['/manager'],
              args: ['--health-probe-bind-address=:8081', '--metrics-bind-address=127.0.0.1:8080', '--leader-elect'],
            },
          ],
        },
      }),
    ],
    beside: [
      kind('pvpools', 'pvpool.noobaa.com', 'v1', 'PvPool', 'Namespaced', {
        image: { type: 'string' },
        numPVs: { type: 'integer', format: 'int32' },
        pvSizeGB: { type: 'integer', format: 'int32' },
        storageClass: { type: 'string' },
      }),
    ],
  };
}

function syncOperator(): Installed {
  const release = 'pvsync';
  const namespace = 'pvsync-operator';
  const name = `${release}-pvsync-operator`;
  const labels = { 'app.kubernetes.io/name': 'pvsync-operator', 'app.kubernetes.io/instance': release };
  return {
    namespace,
    release,
    objects: [
      account(name, namespace),
      role('ClusterRole', { name, labels }, [
        core('persistentvolumes', [...READ, 'create', 'update', 'patch', 'delete']),
        core('persistentvolumeclaims', [...READ, 'create', 'update', 'patch', 'delete']),
      ]),
      binding('ClusterRole', { name, labels }, name, { name, namespace }),
      workload({
        kind: 'Deployment',
        metadata: { name, namespace, labels },
        selector: labels,
        pod: {
          serviceAccountName: name,
          containers: [
            {
              name: 'operator',
              image: 'ghcr.io/bartvanbenthem/pvsync:v0.6.1',
              envFrom: [{ secretRef: { name: 'pvsync' } }],
              env: [{ name: 'RUST_LOG', value: 'info' }],
            },
          ],
        },
      }),
    ],
    beside: [
      kind('persistentvolumesyncs', 'storage.cndev.nl', 'v1alpha1', 'PersistentVolumeSync', 'Cluster', {
        protectedCluster: { type: 'string' },
        cloudProvider: { type: 'string' },
        mode: { type: 'string', enum: ['Protected', 'Recovery'] },
        retention: { type: 'integer' },
        pollingInterval: { type: 'integer' },
      }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'pvsync', namespace },
        stringData: { OBJECT_STORAGE_BUCKET: 'exports' },
      },
    ],
  };
}

const kind = (
  plural: string,
  group: string,
  version: string,
  name: string,
  scope: 'Cluster' | 'Namespaced',
  spec: Readonly<Record<string, object>>,
): Rendered => ({
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
            properties: {
              spec: { type: 'object', properties: spec },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
});

export const INSTALLED = {
  'pv-zone-operator': zoneOperator(),
  'local-pv-provisioner': localPvProvisioner(),
  'k8s-local-pv': k8sLocalPv(),
  'pv-pool-operator': poolOperator(),
  'pvsync-operator': syncOperator(),
} satisfies Record<string, Installed>;

/**
 * What the five originals put into a cluster, written down from their manifests and charts: names, namespaces, labels, accounts, rights, and
 * how their pods are started. The only place that says so: the migrations, the rights of an original, and `make e2e` go by it.
 */
import type { Rendered } from '../integration/chart/helm.ts';
import { account, binding, core, field, kind, probe, READ, role, type Workload, workload } from './objects.ts';

export interface Installed {
  readonly namespace: string;
  /** The release of helm that it is; nothing where it is applied by kubectl. */
  readonly release?: string;
  /** What it is installed with, but for its Deployment or DaemonSet. */
  readonly objects: readonly Rendered[];
  readonly workload: Workload;
  /** Beside it, applied by kubectl in any case. */
  readonly beside?: readonly Rendered[];
}

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
    ],
    workload: workload({
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
    ],
    workload: workload({
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
            livenessProbe: probe('/metrics', 8080),
          },
        ],
        volumes: [{ name: 'dev', hostPath: { path: '/dev' } }],
      },
    }),
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
  const labels = { ...selector, chart: 'k8s-local-pv-0.1.1', heritage: 'Helm' };
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
    ],
    workload: workload({
      kind: 'DaemonSet',
      metadata: { name, namespace, labels },
      selector,
      pod: {
        serviceAccountName: sa.name,
        hostPID: true,
        hostIPC: true,
        hostNetwork: true,
        tolerations: [
          { effect: 'NoSchedule', key: 'node-role.kubernetes.io/master' },
          { effect: 'NoSchedule', key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true' },
        ],
        containers: [
          {
            name: 'k8s-local-pv',
            image: 'ntavares/k8s-local-pv:0.1.5',
            command: ['/k8s-local-pv', '-s', '-v'],
            resources: { requests: { cpu: '25m', memory: '64Mi' }, limits: { cpu: '100m', memory: '256Mi' } },
            securityContext: { privileged: true },
            volumeMounts: [{ mountPath: '/host', name: 'host' }],
          },
        ],
        volumes: [{ name: 'host', hostPath: { path: '/' } }],
      },
    }),
  };
}

function poolOperator(): Installed {
  const prefix = 'pv-pool-operator';
  const namespace = `${prefix}-system`;
  const labels = { 'control-plane': 'controller-manager' };
  const everyone = { name: 'default', namespace };
  const pools = (resource: string, verbs: readonly string[]) => ({
    apiGroups: ['pvpool.noobaa.com'],
    resources: [resource],
    verbs,
  });
  return {
    namespace,
    objects: [
      role('ClusterRole', { name: `${prefix}-manager-role` }, [
        core('pods', ['*']),
        core('services', ['*']),
        { apiGroups: ['apps'], resources: ['statefulsets'], verbs: ['*'] },
        pools('pvpools', [...READ, 'create', 'delete', 'patch', 'update']),
        pools('pvpools/finalizers', ['update']),
        pools('pvpools/status', ['get', 'patch', 'update']),
      ]),
      binding('ClusterRole', { name: `${prefix}-manager-rolebinding` }, `${prefix}-manager-role`, everyone),
      role('Role', { name: `${prefix}-leader-election-role`, namespace }, [
        {
          apiGroups: ['', 'coordination.k8s.io'],
          resources: ['configmaps', 'leases'],
          verbs: [...READ, 'create', 'update', 'patch', 'delete'],
        },
        core('events', ['create', 'patch']),
      ]),
      binding(
        'Role',
        { name: `${prefix}-leader-election-rolebinding`, namespace },
        `${prefix}-leader-election-role`,
        everyone,
      ),
    ],
    workload: workload({
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
            args: ['--secure-listen-address=0.0.0.0:8443', '--upstream=http://127.0.0.1:8080/'],
            ports: [{ containerPort: 8443, name: 'https' }],
          },
          {
            name: 'manager',
            image: 'kfirpayne/pv-pool-operator:v1.0.0',
            command: ['/manager'],
            args: ['--health-probe-bind-address=:8081', '--metrics-bind-address=127.0.0.1:8080', '--leader-elect'],
            securityContext: { allowPrivilegeEscalation: false },
            livenessProbe: probe('/healthz', 8081, { initialDelaySeconds: 15, periodSeconds: 20 }),
            readinessProbe: probe('/readyz', 8081, { initialDelaySeconds: 5, periodSeconds: 10 }),
            resources: { requests: { cpu: '100m', memory: '20Mi' }, limits: { cpu: '100m', memory: '30Mi' } },
          },
        ],
      },
    }),
    beside: [
      kind({
        plural: 'pvpools',
        group: 'pvpool.noobaa.com',
        version: 'v1',
        kind: 'PvPool',
        scope: 'Namespaced',
        spec: {
          required: ['image', 'numPVs', 'pvSizeGB'],
          properties: {
            image: { type: 'string' },
            numPVs: { type: 'integer', format: 'int32' },
            pvSizeGB: { type: 'integer', format: 'int32' },
            storageClass: { type: 'string' },
          },
        },
        status: {
          required: ['countByState', 'phase', 'podsInfo'],
          properties: {
            countByState: { type: 'object', additionalProperties: { type: 'integer', format: 'int32' } },
            phase: { type: 'string' },
            podsInfo: {
              type: 'array',
              items: {
                type: 'object',
                required: ['podName', 'podStatus'],
                properties: { podName: { type: 'string' }, podStatus: { type: 'string' } },
              },
            },
          },
        },
      }),
    ],
  };
}

function syncOperator(): Installed {
  const release = 'pvsync';
  const namespace = 'pvsync-operator';
  const name = `${release}-pvsync-operator`;
  const labels = { 'app.kubernetes.io/name': 'pvsync-operator', 'app.kubernetes.io/instance': release };
  const syncs = ['persistentvolumesyncs', 'persistentvolumesyncs/status', 'persistentvolumesyncs/finalizers'];
  return {
    namespace,
    release,
    objects: [
      account(name, namespace),
      role('ClusterRole', { name, labels }, [
        { apiGroups: ['storage.cndev.nl'], resources: syncs, verbs: [...READ, 'update', 'patch'] },
        core('persistentvolumes', [...READ, 'create', 'update', 'patch', 'delete']),
        core('persistentvolumeclaims', [...READ, 'create', 'update', 'patch', 'delete']),
        core('namespaces', [...READ, 'create', 'update', 'patch']),
        { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: READ },
        core('events', ['create', 'patch']),
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: [...READ, 'create', 'update', 'patch'],
        },
      ]),
      binding('ClusterRole', { name }, name, { name, namespace }),
    ],
    workload: workload({
      kind: 'Deployment',
      metadata: { name, namespace, labels },
      selector: labels,
      pod: {
        serviceAccountName: name,
        containers: [
          {
            name: 'operator',
            image: 'ghcr.io/bartvanbenthem/pvsync:v0.6.2',
            envFrom: [{ secretRef: { name: 'pvsync' } }],
            env: [{ name: 'RUST_LOG', value: 'info' }],
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } },
          },
        ],
      },
    }),
    beside: [
      kind({
        plural: 'persistentvolumesyncs',
        group: 'storage.cndev.nl',
        version: 'v1alpha1',
        kind: 'PersistentVolumeSync',
        scope: 'Cluster',
        spec: {
          required: ['protectedCluster', 'cloudProvider', 'mode', 'retention'],
          properties: {
            protectedCluster: { type: 'string' },
            cloudProvider: { type: 'string' },
            mode: { type: 'string', enum: ['Protected', 'Recovery'] },
            retention: { type: 'integer' },
            pollingInterval: { type: 'integer' },
          },
        },
        status: { properties: { succeeded: { type: 'boolean' } } },
      }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'pvsync', namespace },
        stringData: {
          OBJECT_STORAGE_ACCOUNT: 'account',
          OBJECT_STORAGE_SECRET: 'secret',
          OBJECT_STORAGE_BUCKET: 'exports',
          S3_ENDPOINT_URL: 'https://store.invalid',
        },
      },
    ],
  };
}

export const INSTALLED = {
  'pv-zone-operator': zoneOperator(),
  'local-pv-provisioner': localPvProvisioner(),
  'k8s-local-pv': k8sLocalPv(),
  'pv-pool-operator': poolOperator(),
  'pvsync-operator': syncOperator(),
} satisfies Record<string, Installed>;

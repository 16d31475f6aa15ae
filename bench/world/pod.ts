/** Pods as they are in a cluster: a web application with a sidecar, probes, a claim, and what the kubelet says about it. About 8 KB as JSON. */
import { createHash } from 'node:crypto';

/**
 * Names follow from the number, so that a pod can be found again without a list, and are equally long, so that one pod
 * can be made out of another byte by byte.
 */
export const podName = (number: number): string => `web-${digits(number, 6)}`;
export const podNamespace = (number: number): string => `team-${digits(number % NAMESPACES, 2)}`;
export const nodeName = (number: number): string => `node-${digits(Math.floor(number / PODS_OF_A_NODE), 5)}`;
export const claimName = (number: number): string => `data-${podName(number)}`;
export const NAMESPACES = 20;
export const PODS_OF_A_NODE = 30;

/** Counts how often the pod was rolled out: what changes about a pod in the benchmarks. */
export const rollout = (count: number): string => `rollout-${digits(count, 8)}`;

/** Phases with names of the same length. The last one marks the end of a series of changes. */
export const PHASES = { usual: 'Running', other: 'Pending', last: 'Unknown' } as const;

const digits = (number: number, length: number): string => String(number).padStart(length, '0');

/** What a controller sends to create the pod. */
export function podToCreate(number: number): object {
  const set = `web-${Math.floor(number / 10)}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(number),
      namespace: podNamespace(number),
      labels: {
        'app.kubernetes.io/name': 'web',
        'app.kubernetes.io/instance': set,
        'apps.kubernetes.io/pod-index': String(number % 10),
        'controller-revision-hash': `${set}-7c9fd8c6b5`,
        'statefulset.kubernetes.io/pod-name': podName(number),
      },
      annotations: {
        'checksum/config': digest(set),
        'prometheus.io/scrape': 'true',
        'web.example.com/rollout': rollout(0),
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          name: set,
          uid: `3f5f3ab6-8fa1-4c5b-9d8a-${digits(number, 12)}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeName: nodeName(number),
      hostname: podName(number),
      subdomain: 'web',
      serviceAccountName: 'web',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 },
      containers: [{ ...container('web', 2), ...probes(8080) }, container('log-shipper', 0)],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: claimName(number) } },
        { name: 'config', configMap: { name: 'web-config' } },
      ],
    },
  };
}

function container(name: string, variables: number): object {
  return {
    name,
    image: `registry.example.com/web/${name}:1.27.4`,
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ...Array.from({ length: variables }, (_, index) => ({
        name: `WEB_SETTING_${index}`,
        value: `postgres://database-${index}.example.com:5432/web?sslmode=verify-full`,
      })),
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/web' },
      { name: 'config', mountPath: '/etc/web', readOnly: true },
    ],
  };
}

const probes = (port: number): object => ({
  livenessProbe: { httpGet: { path: '/healthz', port }, periodSeconds: 10, timeoutSeconds: 2 },
  readinessProbe: { httpGet: { path: '/readyz', port }, periodSeconds: 5, timeoutSeconds: 2 },
});

/** What a kubelet reports of the pod once it runs, as a merge patch of its status. */
export function podStatus(number: number): object {
  const address = `10.${128 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
  return {
    status: {
      phase: PHASES.usual,
      qosClass: 'Burstable',
      hostIP: `192.0.2.${number % 250}`,
      hostIPs: [{ ip: `192.0.2.${number % 250}` }],
      podIP: address,
      podIPs: [{ ip: address }],
      startTime: '2026-05-04T10:15:30Z',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: '2026-05-04T10:15:41Z',
        }),
      ),
      containerStatuses: ['web', 'log-shipper'].map((name) => containerStatus(name, number)),
    },
  };
}

const containerStatus = (name: string, number: number): object => ({
  name,
  ready: true,
  started: true,
  restartCount: 0,
  image: `registry.example.com/web/${name}:1.27.4`,
  imageID: `registry.example.com/web/${name}@sha256:${digest(name)}`,
  containerID: `containerd://${digest(`${name} ${number}`)}`,
  state: { running: { startedAt: '2026-05-04T10:15:38Z' } },
});

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

import { aClaim, aClass, aLease, aPod, aSet } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const aService = (name: string, spec: object): object => ({
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
});

const aBudget = (name: string, spec: object): object => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
});

const eviction = (name: string): object => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

const RUNNING = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

const counted = (disruptionsAllowed: number): object => ({
  disruptionsAllowed,
  currentHealthy: 1,
  desiredHealthy: 1 - disruptionsAllowed,
  expectedPods: 1,
  observedGeneration: 1,
});

/** Pods, sets, services, budgets, classes, leases and nodes. */
export const workloads: Cases = {
  'a set mounts what its claim templates are called': [
    post('statefulsets', {
      ...aSet('a', {
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { containers: [{ name: 'main', image: 'x', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
        },
        volumeClaimTemplates: [aClaim('data')],
      }),
    }),
    post('statefulsets', {
      ...aSet('b', {
        template: {
          metadata: { labels: { app: 'b' } },
          spec: { containers: [{ name: 'main', image: 'x', volumeMounts: [{ name: 'nothing', mountPath: '/data' }] }] },
        },
      }),
    }),
    post('statefulsets', {
      ...aSet('c', {
        template: { metadata: { labels: { app: 'c' } }, spec: { containers: [{ name: 'Main', image: '' }] } },
      }),
    }),
  ],
  'a pod is given what it does not say': [post('pods', aPod('a')), get('pods/a')],
  'a pod with volumes and probes is given what it does not say': [
    post('pods', {
      metadata: { name: 'a' },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'registry.example.com/a:1',
            ports: [{ containerPort: 80 }],
            env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
            readinessProbe: { httpGet: { port: 80 } },
            resources: { requests: { cpu: '0.1', memory: '128Mi' }, limits: { memory: '0.25Gi' } },
          },
        ],
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'a' } },
          { name: 'map', configMap: { name: 'a' } },
          { name: 'empty', emptyDir: {} },
        ],
      },
    }),
  ],
  'a set is given what it does not say': [post('statefulsets', aSet('a')), get('statefulsets/a')],
  'a set with claims is given what it does not say': [
    post(
      'statefulsets',
      aSet('a', {
        replicas: 3,
        podManagementPolicy: 'Parallel',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
          },
        ],
      }),
    ),
  ],
  'a set is scaled by the selector that it has': [
    post(
      'statefulsets',
      aSet('a', {
        replicas: 2,
        selector: {
          matchLabels: { app: 'a' },
          matchExpressions: [
            { key: 'tier', operator: 'In', values: ['one'] },
            { key: 'role', operator: 'NotIn', values: ['z', 'y'] },
            { key: 'app', operator: 'Exists' },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
        template: {
          metadata: { labels: { app: 'a', tier: 'one' } },
          spec: { containers: [{ name: 'main', image: 'x' }] },
        },
      }),
    ),
    get('statefulsets/a/scale'),
  ],
  'a set may start to count elsewhere': [
    post('statefulsets', aSet('a', { ordinals: { start: 5 } })),
    mergePatch('statefulsets/a', { spec: { ordinals: { start: 3 } } }),
    mergePatch('statefulsets/a', { spec: { ordinals: { start: -1 } } }),
    mergePatch('statefulsets/a', { spec: { ordinals: null } }),
  ],
  'a port of a service leads to the same port of its pods': [
    post('services', aService('a', { clusterIP: 'None', ports: [{ port: 80 }] })),
    mergePatch('services/a', { spec: { ports: [{ port: 80, targetPort: 'web' }] } }),
    mergePatch('services/a', { spec: { ports: [{ port: 81, targetPort: 0 }] } }),
  ],
  'a service keeps its address, or that it has none': [
    post('services', aService('a', { clusterIP: 'None' })),
    mergePatch('services/a', { spec: { clusterIP: '10.96.0.77' } }),
    mergePatch('services/a', { spec: { clusterIP: '' } }),
    mergePatch('services/a', { spec: { clusterIP: null } }),
    mergePatch('services/a', { spec: { clusterIP: null, clusterIPs: null } }),
    mergePatch('services/a', { spec: { selector: { app: 'b' } } }),
  ],
  'a budget lets as many go as it says, and no more': [
    post('pods', aPod('a', {}, { labels: { app: 'a' } })),
    mergePatch('pods/a/status', RUNNING),
    post('poddisruptionbudgets', aBudget('a', { maxUnavailable: 1 })),
    post('pods/a/eviction', eviction('a')),
    mergePatch('poddisruptionbudgets/a/status', { status: counted(0) }),
    post('pods/a/eviction', eviction('a')),
    mergePatch('poddisruptionbudgets/a/status', { status: counted(1) }),
    post('pods/a/eviction', eviction('a')),
    get('poddisruptionbudgets/a'),
    get('pods/a'),
  ],
  'a pod that does not run is evicted whatever its budget says': [
    post('pods', aPod('a', {}, { labels: { app: 'a' } })),
    post('poddisruptionbudgets', aBudget('a', { minAvailable: '100%' })),
    post('pods/a/eviction', eviction('a')),
    get('pods/a'),
  ],
  'a pod with two budgets is not evicted': [
    post('pods', aPod('a', {}, { labels: { app: 'a' } })),
    mergePatch('pods/a/status', RUNNING),
    post('poddisruptionbudgets', aBudget('a', { maxUnavailable: 1 })),
    post('poddisruptionbudgets', aBudget('b', { maxUnavailable: 1 })),
    post('pods/a/eviction', eviction('a')),
  ],
  'a class is given what it does not say': [post('storageclasses', aClass()), get('storageclasses/{case}')],
  'a lease is held by somebody': [
    post(
      'leases',
      aLease('a', { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.123456Z' }),
    ),
    mergePatch('leases/a', { spec: { acquireTime: '2001-01-01T00:00:00.000000Z', leaseTransitions: 1 } }),
  ],
};

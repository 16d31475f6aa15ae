import { aClaim, aClass, aLease, aPod, aSet } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

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
  'a class is given what it does not say': [post('storageclasses', aClass()), get('storageclasses/{case}')],
  'a lease is held by somebody': [
    post(
      'leases',
      aLease('a', { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.123456Z' }),
    ),
    mergePatch('leases/a', { spec: { acquireTime: '2001-01-01T00:00:00.000000Z', leaseTransitions: 1 } }),
  ],
};

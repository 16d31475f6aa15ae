/** The StatefulSet of storage agents that PV Pool Operator makes of a pool. */

interface Pool {
  readonly metadata: { readonly name: string; readonly uid: string };
}

export function statefulSetOf({ metadata: { name, uid } }: Pool) {
  const labels = { 'pv-pool': name };
  const owner = {
    apiVersion: 'pvpool.noobaa.com/v1',
    kind: 'PvPool',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const resources = { cpu: '100m', memory: '100M' };
  return {
    metadata: { name: `${name}-sts`, ownerReferences: [owner] },
    spec: {
      serviceName: `${name}-srv`,
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'storage-agent',
              image: 'agents:1',
              command: ['node', 'storage-agent.js'],
              env: [{ name: 'PV_PATH', value: '/data' }],
              volumeMounts: [{ name: 'vol', mountPath: '/data' }],
              resources: { requests: resources, limits: resources },
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'vol' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
}

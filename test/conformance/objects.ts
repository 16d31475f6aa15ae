/** Objects as cases send them: with no more than the case is about. */

type Fields = Readonly<Record<string, unknown>>;

export const aMap = (name: string, data?: Fields, metadata: Fields = {}): object => ({
  metadata: { name, ...metadata },
  ...(data && { data }),
});

export const labelled = (name: string, labels: Fields): object => ({ metadata: { name, labels } });

/** A local volume, which names its node. */
export const aVolume = (spec: Fields = {}, metadata: Fields = {}): object => ({
  metadata: { name: '{case}', ...metadata },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    local: { path: '/mnt/a' },
    nodeAffinity: onNode('one'),
    ...spec,
  },
});

const onNode = (...values: readonly string[]): object => ({
  required: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }],
  },
});

export const aClaim = (name: string, spec: Fields = {}): object => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'none',
    ...spec,
  },
});

export const aPod = (name: string, spec: Fields = {}, metadata: Fields = {}): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
});

export const aSet = (name: string, spec: Fields = {}): object => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    serviceName: name,
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'busybox' }] },
    },
    ...spec,
  },
});

export const aLease = (name: string, spec: Fields = {}): object => ({ metadata: { name }, spec });

export const aClass = (fields: Fields = {}): object => ({
  metadata: { name: '{case}' },
  provisioner: 'example.com/disks',
  ...fields,
});

export const aNode = (fields: Fields = {}, metadata: Fields = {}): object => ({
  metadata: { name: '{case}', ...metadata },
  ...fields,
});

/** What is wrong with objects, in the words that a kube-apiserver v1.36 answers with. */
import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { ApiError } from '../../kit/kube/api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { Cluster } from '../cluster.ts';
import { seeded } from '../seeded.ts';
import { BUILT_IN_KINDS } from './built-in-kinds.ts';

const kindOf = (name: string) => {
  const found = BUILT_IN_KINDS.find(({ resource }) => resource.kind === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found.resource;
};

const cluster = () => new Cluster({ clock: new VirtualClock(), random: seeded(5) });

const asObject = (kind: string, content: object, name = 'a'): ApiObject => {
  const { namespaced } = kindOf(kind);
  return { metadata: { name, ...(namespaced && { namespace: 'default' }) }, ...content };
};

/** The sentences of the faults, or nothing when there are none. */
function faultsOf(act: () => unknown): readonly string[] {
  try {
    act();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.causes.length > 0
      ? [...new Set(error.causes.map(({ field, message }) => `${field}: ${message}`))]
      : [error.detail];
  }
}

const created = (kind: string, content: object) =>
  faultsOf(() => cluster().objects.create(kindOf(kind), asObject(kind, content)));

const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const terms = (key: string, values?: readonly string[]) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', ...(values && { values }) }] }] },
});

const whenCreated: readonly [kind: string, content: object, ...faults: string[]][] = [
  [
    'PersistentVolume',
    { spec: {} },
    'spec.accessModes: Required value',
    'spec.capacity: Required value',
    'spec.capacity: Unsupported value: null: supported values: "storage"',
    'spec: Required value: must specify a volume type',
  ],
  ['PersistentVolume', { spec: volume }],
  [
    'PersistentVolume',
    { spec: { ...volume, capacity: { storage: '-1Gi' }, accessModes: ['Foo'], hostPath: { path: '' } } },
    'spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    'spec.capacity[storage]: Invalid value: -1073741824: must be a valid resource quantity',
    'spec.capacity[storage]: Invalid value: "-1Gi": must be greater than zero',
    'spec.hostPath.path: Required value',
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, capacity: { foo: '1Gi' }, hostPath: { path: '/../x' } } },
    'spec.capacity: Unsupported value: {"foo":"1Gi"}: supported values: "storage"',
    'spec.hostPath.path: Invalid value: "/../x": must not contain \'..\'',
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, nfs: { server: 'a', path: '/b' } } },
    'spec.nfs: Forbidden: may not specify more than 1 volume type',
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, persistentVolumeReclaimPolicy: 'Foo', volumeMode: 'Bar', storageClassName: 'Bad_' } },
    'spec.persistentVolumeReclaimPolicy: Unsupported value: "Foo": supported values: "Delete", "Recycle", "Retain"',
    `spec.storageClassName: Invalid value: "Bad_": ${SUBDOMAIN}`,
    'spec.volumeMode: Unsupported value: "Bar": supported values: "Block", "Filesystem"',
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, nodeAffinity: {} } },
    'spec.nodeAffinity.required: Required value: must specify required node constraints',
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, nodeAffinity: terms('a b') } },
    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "a b": ${NAME_PART}`,
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, hostPath: undefined, local: { path: '/x' } } },
    'spec.nodeAffinity: Required value: Local volume requires node affinity',
  ],
  [
    'PersistentVolume',
    {
      spec: {
        ...volume,
        accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'],
        hostPath: undefined,
        csi: { driver: 'x' },
      },
    },
    'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    'spec.csi.volumeHandle: Required value',
  ],
  [
    'PersistentVolumeClaim',
    { spec: {} },
    'spec.accessModes: Required value: at least 1 access mode is required',
    'spec.resources[storage]: Required value',
  ],
  [
    'PersistentVolumeClaim',
    { spec: { ...claim, selector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } } },
    'spec.selector.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
  ],
  [
    'ConfigMap',
    { data: { 'a b': 'x', '..': 'y', c: 'z' }, binaryData: { c: 'AA==' } },
    `data[a b]: Invalid value: "a b": ${KEY}`,
    'data[..]: Invalid value: "..": must not be \'..\'',
    'data[c]: Invalid value: "c": duplicate of key present in binaryData',
  ],
  ['Secret', { type: 'kubernetes.io/tls' }, 'data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ['Service', { spec: {} }, 'spec.ports: Required value'],
  [
    'Service',
    {
      spec: {
        ports: [
          { port: 80, name: 'A' },
          { port: 80, name: 'a' },
        ],
        selector: { 'a b': 'c' },
      },
    },
    `spec.ports[0].name: Invalid value: "A": ${LABEL}`,
    `spec.selector: Invalid value: "a b": ${NAME_PART}`,
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  ],
  [
    'Pod',
    {
      spec: {
        containers: [
          { name: 'A_', image: '' },
          { name: 'b', image: 'x', volumeMounts: [{ name: 'v', mountPath: '' }], imagePullPolicy: 'Foo' },
          { name: 'b', image: 'y', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
        ],
        restartPolicy: 'Foo',
      },
    },
    `spec.containers[0].name: Invalid value: "A_": ${LABEL}`,
    'spec.containers[0].image: Required value',
    'spec.containers[1].volumeMounts[0].name: Not found: "v"',
    'spec.containers[1].volumeMounts[0].mountPath: Required value',
    'spec.containers[1].imagePullPolicy: Unsupported value: "Foo": supported values: "Always", "IfNotPresent", "Never"',
    'spec.containers[2].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    'spec.containers[2].name: Duplicate value: "b"',
    'spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"',
  ],
  ['StorageClass', {}, 'provisioner: Required value'],
  [
    'Lease',
    { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
    'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'PodDisruptionBudget',
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  ],
  [
    'ClusterRoleBinding',
    { roleRef: { kind: 'Foo', name: '' }, subjects: [{ kind: 'ServiceAccount', name: 'x' }] },
    'roleRef.kind: Unsupported value: "Foo": supported values: "ClusterRole"',
    'roleRef.name: Required value',
    'subjects[0].namespace: Required value',
  ],
  [
    'ClusterRole',
    { rules: [{}] },
    'rules[0].verbs: Required value: verbs must contain at least one value',
    'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    'rules[0].resources: Required value: resource rules must supply at least one resource',
  ],
  [
    'StatefulSet',
    { spec: {} },
    'spec.selector: Required value',
    'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    'spec.template.spec.containers: Required value',
  ],
];

test.each(whenCreated)('a new %s is refused for what is wrong with it: %j', (kind, content, ...faults) => {
  expect(created(kind, content)).toEqual(faults);
});

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const set = { selector: { matchLabels: { a: 'b' } }, template };

const whenChanged: readonly [kind: string, before: object, after: object, ...faults: string[]][] = [
  [
    'PersistentVolume',
    { spec: volume },
    { spec: { ...volume, hostPath: { path: '/y' } } },
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/x",\n+  "Path": "/y",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
  ],
  [
    'PersistentVolume',
    { spec: volume },
    { spec: { ...volume, volumeMode: 'Block' } },
    'volumeMode: Invalid value: "Block": field is immutable',
  ],
  [
    'PersistentVolume',
    { spec: volume },
    { spec: { ...volume, nodeAffinity: terms('a', ['b']), storageClassName: 'x' } },
  ],
  [
    'PersistentVolume',
    { spec: { ...volume, nodeAffinity: terms('a', ['b']) } },
    { spec: { ...volume, nodeAffinity: terms('a', ['c']) } },
    'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"a","Operator":"In","Values":["c"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
  ],
  [
    'PersistentVolumeClaim',
    { spec: { ...claim, storageClassName: 'a' } },
    { spec: { ...claim, storageClassName: 'b' } },
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -10,7 +10,7 @@\n   }\n  },\n  "VolumeName": "",\n- "StorageClassName": "a",\n+ "StorageClassName": "b",\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n',
  ],
  [
    'PersistentVolumeClaim',
    { spec: { ...claim, storageClassName: 'a' } },
    { spec: { ...claim, storageClassName: 'a', selector: { matchLabels: { a: 'b' } } } },
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -2,7 +2,11 @@\n  "AccessModes": [\n   "ReadWriteOnce"\n  ],\n- "Selector": null,\n+ "Selector": {\n+  "matchLabels": {\n+   "a": "b"\n+  }\n+ },\n  "Resources": {\n   "Limits": null,\n   "Requests": {\n',
  ],
  ['PersistentVolumeClaim', { spec: claim }, { spec: { ...claim, volumeName: 'v' } }],
  ['PersistentVolumeClaim', { spec: claim }, { spec: { ...claim, storageClassName: 'late' } }],
  [
    'StorageClass',
    { provisioner: 'x/y' },
    { provisioner: 'x/z' },
    'provisioner: Invalid value: "x/z": field is immutable',
  ],
  ['Secret', { type: 'a/b' }, { type: 'c/d' }, 'type: Invalid value: "c/d": field is immutable'],
  [
    'ConfigMap',
    { data: { a: '1' }, immutable: true },
    { data: { a: '2' }, immutable: true },
    'data: Forbidden: field is immutable when `immutable` is set',
  ],
  [
    'ClusterRoleBinding',
    { roleRef: { kind: 'ClusterRole', name: 'a' } },
    { roleRef: { kind: 'ClusterRole', name: 'b' } },
    'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"b"}: cannot change roleRef',
  ],
  [
    'StatefulSet',
    { spec: set },
    { spec: { ...set, serviceName: 'x' } },
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ],
  ['StatefulSet', { spec: set }, { spec: { ...set, replicas: 3 } }],
];

test.each(whenChanged)('a %s is not changed in what must not change: %j to %j', (kind, before, after, ...faults) => {
  const { objects } = cluster();
  objects.create(kindOf(kind), asObject(kind, before));
  expect(faultsOf(() => objects.update(kindOf(kind), asObject(kind, after)))).toEqual(faults);
});

test('a bound claim grows where its class lets it, and never shrinks below what it has', () => {
  const { objects } = cluster();
  const resource = kindOf('PersistentVolumeClaim');
  const ask = (storage: string) => {
    const live = objects.get(resource, 'default/a') as ApiObject;
    const spec = { ...(live.spec as object), resources: { requests: { storage } } };
    return faultsOf(() => objects.update(resource, { ...live, spec } as ApiObject));
  };
  const made = objects.create(
    resource,
    asObject('PersistentVolumeClaim', { spec: { ...claim, storageClassName: 'grows' } }),
  );
  objects.update(
    resource,
    { ...made, status: { phase: 'Bound', capacity: { storage: '1Gi' } } } as ApiObject,
    'status',
  );
  expect(ask('2Gi')).toEqual([
    'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  ]);
  const growing = { provisioner: 'x/y', allowVolumeExpansion: true };
  objects.create(kindOf('StorageClass'), asObject('StorageClass', growing, 'grows'));
  expect(ask('2Gi')).toEqual([]);
  expect(ask('500Mi')).toEqual([
    'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
  ]);
});

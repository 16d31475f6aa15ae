import { describe, expect, test } from 'vitest';
import type { Json, JsonMap } from '../json.ts';
import { builtInSchema } from './built-in.ts';
import { prune } from './prune.ts';
import type { Schema } from './schema.ts';

function schemaOf(apiVersion: string, kind: string): Schema {
  const schema = builtInSchema(apiVersion, kind);
  if (!schema) throw new Error(`no schema of ${kind}`);
  return schema;
}

const read = (apiVersion: string, kind: string, object: Json) => prune(object, schemaOf(apiVersion, kind));

test('what is not known is no built-in kind', () => {
  expect(builtInSchema('v1', 'Teapot')).toBeUndefined();
});

describe('an object comes out as Go writes it', () => {
  test('null is as good as absent, and what is empty is left out', () => {
    const object = {
      metadata: { name: 'a', labels: {}, annotations: null, finalizers: [] },
      data: {},
      immutable: null,
    };
    expect(read('v1', 'ConfigMap', object).value).toEqual({ metadata: { name: 'a' } });
  });

  test('pointers tell empty from absent', () => {
    const claim = { spec: { storageClassName: '', volumeName: '', accessModes: [] } };
    expect(read('v1', 'PersistentVolumeClaim', claim).value).toEqual({
      metadata: {},
      spec: { storageClassName: '', resources: {} },
      status: {},
    });
    const { spec } = read('apps/v1', 'StatefulSet', { spec: { replicas: 0, minReadySeconds: 0 } }).value as JsonMap;
    expect(spec).toMatchObject({ replicas: 0 });
    expect(spec).not.toHaveProperty('minReadySeconds');
  });

  test('some fields are written out even if they never came', () => {
    expect(read('v1', 'Event', { metadata: { name: 'a' } }).value).toEqual({
      metadata: { name: 'a' },
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
    expect(read('rbac.authorization.k8s.io/v1', 'Role', {}).value).toEqual({ metadata: {}, rules: null });
  });

  test('amounts and times have one form', () => {
    const volume = { spec: { capacity: { storage: '1024Mi', other: 0.5 } } };
    expect(read('v1', 'PersistentVolume', volume).value).toMatchObject({
      spec: { capacity: { storage: '1Gi', other: '500m' } },
    });
    const metadata = { creationTimestamp: '2020-01-01T00:00:00.9+02:00' };
    expect(read('v1', 'ConfigMap', { metadata }).value).toEqual({
      metadata: { creationTimestamp: '2019-12-31T22:00:00Z' },
    });
    const lease = { spec: { renewTime: '2020-01-01T00:00:00.123456+02:00' } };
    expect(read('coordination.k8s.io/v1', 'Lease', lease).value).toMatchObject({
      spec: { renewTime: '2019-12-31T22:00:00.123456Z' },
    });
  });

  test('the values of maps stay, empty or not', () => {
    expect(read('v1', 'ConfigMap', { data: { a: '' } }).value).toMatchObject({ data: { a: '' } });
    expect(read('v1', 'Secret', { data: { a: 'aGk=' } }).value).toMatchObject({ data: { a: 'aGk=' } });
  });

  test('what the kind does not have goes, and is named', () => {
    const service = { spec: { foo: 1, ports: [{ port: 1, bar: 2 }] }, baz: {} };
    const { value, unknown } = read('v1', 'Service', service);
    expect(unknown).toEqual(['spec.foo', 'spec.ports[0].bar', 'baz']);
    expect(value).toMatchObject({ spec: { ports: [{ port: 1 }] } });
    expect(JSON.stringify(value)).not.toMatch(/foo|bar|baz/);
  });
});

const SUFFIX = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Each of these was answered so by a kube-apiserver v1.36.3. */
describe('what does not fit is refused in the words of Go', () => {
  test.each<[string, JsonMap, string]>([
    [
      'v1/ConfigMap',
      { data: { y: 3 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'v1/ConfigMap',
      { data: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'v1/ConfigMap',
      { metadata: { name: 3 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'v1/ConfigMap',
      { metadata: { labels: { a: [] } } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'v1/ConfigMap',
      { metadata: { finalizers: {} } },
      'json: cannot unmarshal object into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
    [
      'v1/ConfigMap',
      { metadata: { finalizers: [1] } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.finalizers of type string',
    ],
    [
      'v1/ConfigMap',
      { metadata: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      'v1/ConfigMap',
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'v1/ConfigMap',
      { metadata: { creationTimestamp: 3 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    ['v1/ConfigMap', { binaryData: { a: '%%' } }, 'illegal base64 data at input byte 0'],
    [
      'v1/ConfigMap',
      { immutable: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
    ],
    ['v1/PersistentVolume', { spec: { capacity: { storage: 'x' } } }, SUFFIX],
    ['v1/PersistentVolume', { spec: { capacity: { storage: '1Gb' } } }, SUFFIX],
    [
      'v1/PersistentVolume',
      { spec: { accessModes: ['a', 1] } },
      'json: cannot unmarshal number into Go struct field PersistentVolumeSpec.spec.accessModes of type v1.PersistentVolumeAccessMode',
    ],
    [
      'v1/PersistentVolume',
      { spec: { accessModes: 'RWO' } },
      'json: cannot unmarshal string into Go struct field PersistentVolumeSpec.spec.accessModes of type []v1.PersistentVolumeAccessMode',
    ],
    [
      'v1/PersistentVolume',
      { spec: { volumeMode: 1 } },
      'json: cannot unmarshal number into Go struct field PersistentVolumeSpec.spec.volumeMode of type v1.PersistentVolumeMode',
    ],
    [
      'v1/PersistentVolume',
      { spec: { local: 'x' } },
      'json: cannot unmarshal string into Go struct field PersistentVolumeSpec.spec.PersistentVolumeSource.local of type v1.LocalVolumeSource',
    ],
    [
      'v1/PersistentVolume',
      { spec: { local: { path: 1 } } },
      'json: cannot unmarshal number into Go struct field LocalVolumeSource.spec.PersistentVolumeSource.local.path of type string',
    ],
    [
      'apps/v1/StatefulSet',
      { spec: { replicas: 'x' } },
      'json: cannot unmarshal string into Go struct field StatefulSetSpec.spec.replicas of type int32',
    ],
    [
      'apps/v1/StatefulSet',
      { spec: { replicas: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field StatefulSetSpec.spec.replicas of type int32',
    ],
    [
      'apps/v1/StatefulSet',
      { spec: { replicas: 99999999999 } },
      'json: cannot unmarshal number 99999999999 into Go struct field StatefulSetSpec.spec.replicas of type int32',
    ],
    [
      'apps/v1/StatefulSet',
      { spec: { template: [] } },
      'json: cannot unmarshal array into Go struct field StatefulSetSpec.spec.template of type v1.PodTemplateSpec',
    ],
    [
      'apps/v1/StatefulSet',
      { spec: { template: { spec: { containers: [{ ports: [{ containerPort: 'x' }] }] } } } },
      'json: cannot unmarshal string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32',
    ],
    [
      'v1/Service',
      { spec: { ports: [{ targetPort: [] }] } },
      'json: cannot unmarshal array into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      'v1/Service',
      { spec: { ports: [{ targetPort: 1.5 }] } },
      'json: cannot unmarshal number 1.5 into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      'coordination.k8s.io/v1/Lease',
      { spec: { renewTime: '2020-01-01T00:00:00Z' } },
      'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
  ])('%s %j', (kind, object, fault) => {
    const slash = kind.lastIndexOf('/');
    expect(read(kind.slice(0, slash), kind.slice(slash + 1), object).fault).toBe(fault);
  });
});

test('what is one with the stored object is not read again, and everything else is', () => {
  const schema = schemaOf('v1', 'ConfigMap');
  const stored = { metadata: { labels: { a: 'b' }, creationTimestamp: '2026-01-01T00:00:00Z' }, data: { k: 'v' } };
  const sent = { metadata: { ...stored.metadata, annotations: null, unknown: 1 }, data: { k: 'v', n: null } };
  const { value, unknown } = prune(sent, schema, stored);
  expect(value).toEqual({ ...stored, data: { k: 'v', n: '' } });
  expect((value as typeof stored).metadata.labels).toBe(stored.metadata.labels);
  expect(unknown).toEqual(['metadata.unknown']);
});

import { expect, test } from 'vitest';
import { customResources } from '../../custom-resources.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { customResourceDefinition } from '../../kit/manifests/crd.ts';
import { Cluster } from '../cluster.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import { seeded } from '../seeded.ts';

const cluster = () => new Cluster({ clock: new VirtualClock(), random: seeded(1) });

function defined(spec: object): unknown {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return cluster().objects.create(CUSTOM_RESOURCE_DEFINITIONS, {
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  } as never);
}

const ruled = (rule: string) => ({
  type: 'object',
  properties: { size: { type: 'integer' } },
  'x-kubernetes-validations': [{ rule }],
});

test.each(customResources)('what Holdfast ships is all right: $plural', (resource) => {
  const definition = customResourceDefinition(resource);
  expect(cluster().objects.create(CUSTOM_RESOURCE_DEFINITIONS, definition)).toMatchObject({
    metadata: { generation: 1 },
  });
});

test('a rule that speaks of what there is not is refused when it is written', () => {
  expect(() => defined(ruled('self.length > 0'))).toThrow(/compilation failed: .*undefined field 'length'/);
  expect(() => defined(ruled('self.size > 0'))).not.toThrow();
});

test('a rule that the sandbox cannot read, or that only Kubernetes knows, is not judged', () => {
  for (const rule of ['self.size > (', "cidr('10.0.0.0/8').containsIP('10.0.0.1')"])
    expect(() => defined(ruled(rule))).toThrow(expect.objectContaining({ status: 501 }));
});

test('null in the place of a schema says nothing, or is none, and is no bug', () => {
  expect(() => defined({ type: 'object', properties: { x: null } })).toThrow(
    expect.objectContaining({ status: 422, message: expect.stringContaining('properties[x].type: Required value') }),
  );
  expect(() => defined({ type: 'object', additionalProperties: null, anyOf: [null] })).not.toThrow();
});

import { expect, test } from 'vitest';
import * as z from 'zod';
import { type CustomResource, customResourceDefinition } from './crd.ts';

const sample: CustomResource = {
  resource: { group: 'example.com', version: 'v1', plural: 'samples', kind: 'Sample', namespaced: false },
  description: 'A sample.',
  spec: z.object({ size: z.boolean() }),
};

const versionOf = (custom: CustomResource) => customResourceDefinition(custom).spec.versions[0];

test('names, scope and version come from the resource', () => {
  expect(customResourceDefinition(sample)).toMatchObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'samples.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Sample', listKind: 'SampleList', plural: 'samples', singular: 'sample' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  });
});

test('the schema is that of the whole object', () => {
  expect(versionOf(sample).schema.openAPIV3Schema).toEqual({
    description: 'A sample.',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { description: 'Always example.com/v1.', type: 'string' },
      kind: { description: 'Always Sample.', type: 'string' },
      metadata: { type: 'object' },
      spec: { type: 'object', properties: { size: { type: 'boolean' } }, required: ['size'] },
    },
  });
});

test('a spec that may be left out is not required, and a status never is', () => {
  const { openAPIV3Schema } = versionOf({ ...sample, spec: z.object({}).optional(), status: z.object({}) }).schema;
  expect(openAPIV3Schema).not.toHaveProperty('required');
});

test('without a status and scale there are no subresources; each comes by itself', () => {
  const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
  expect(versionOf(sample)).not.toHaveProperty('subresources');
  expect(versionOf({ ...sample, status: z.object({}) })).toMatchObject({ subresources: { status: {} } });
  expect(versionOf({ ...sample, status: z.object({}), scale })).toMatchObject({ subresources: { status: {}, scale } });
});

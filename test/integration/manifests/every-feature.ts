/** A made-up kind of object that uses everything that the generator of CustomResourceDefinitions can say. */
import { z } from 'zod';
import type { CustomResource } from '../../../src/kit/manifests/crd.ts';
import { dateTime, intOrString, listMap, listSet, quantity, withRules } from '../../../src/kit/manifests/fields.ts';

const condition = z.object({ type: z.string().min(1), status: z.enum(['True', 'False', 'Unknown']) });

const range = withRules(z.object({ from: z.int32(), to: z.int32() }), {
  rule: 'self.from <= self.to',
  message: 'from may not be above to',
  holds: ({ from, to }) => from <= to,
});

export const spec = withRules(
  z.object({
    size: z.int32().min(1).max(1000).describe('How many of them.'),
    mode: z.enum(['Protected', 'Recovery']),
    range,
    count: z.int().optional(),
    small: z.int32().optional(),
    unsigned: z.uint32().optional(),
    step: z.int().min(0).multipleOf(5).optional(),
    ratio: z.number().gt(0).lt(1).optional(),
    only: z.literal('only').optional(),
    level: z.literal([1, 2, 3]).optional(),
    either: z.union([z.literal('a'), z.literal('b')]).optional(),
    flag: z.boolean().optional(),
    note: z.string().nullable().optional(),
    amount: z.int().nullable().optional(),
    name: z
      .string()
      .min(2)
      .max(8)
      .regex(/^[a-z]/)
      .regex(/[a-z0-9]$/)
      .optional(),
    since: dateTime().optional(),
    port: intOrString().optional(),
    capacity: quantity().optional(),
    labels: z.record(z.string(), z.string().max(5)).optional(),
    counts: z.record(z.string(), z.int32().min(0)).optional(),
    free: z.unknown().optional(),
    loose: z.looseObject({ known: z.boolean() }).optional(),
    strict: z.strictObject({ inner: z.string() }).optional(),
    conditions: listMap(condition, 'type').optional(),
    tags: listSet(z.string()).optional(),
    rows: z.array(z.array(z.int32()).max(2)).min(1).max(3).optional(),
    retention: z.int32().min(1).default(5),
    polling: z.object({ interval: z.int32().min(1).default(30) }).prefault({}),
  }),
  {
    rule: "self.mode != 'Recovery' || has(self.since)",
    message: 'a recovery says since when',
    holds: ({ mode, since }) => mode !== 'Recovery' || since !== undefined,
  },
  { rule: 'self.size >= oldSelf.size', message: 'the size may not shrink' },
);

export const everyFeature: CustomResource = {
  resource: { group: 'test.holdfast.dev', version: 'v1', plural: 'samples', kind: 'Sample', namespaced: true },
  description: 'Everything at once.',
  spec,
  status: z.object({ replicas: z.int32().optional(), selector: z.string().optional(), phase: z.string().optional() }),
  shortNames: ['smp', 'sa'],
  categories: ['storage'],
  printerColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How many of them.' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
  ],
  scale: {
    specReplicasPath: '.spec.size',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  rules: [{ rule: "self.metadata.name != 'forbidden'", message: 'not this name' }],
};

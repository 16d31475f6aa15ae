/** The CustomResourceDefinition of a resource of ours, from its zod schemas. */
import * as z from 'zod';
import { apiVersionOf, nameOf, type Resource } from '../kube/resource.ts';
import { type StructuralSchema, VALIDATIONS } from './schema-keywords.ts';
import { structuralSchema } from './structural-schema.ts';

export interface CustomResource {
  readonly resource: Resource;
  /** What `kubectl explain` says about the kind. */
  readonly description: string;
  readonly spec: z.ZodType;
  /** With a status comes the status subresource: writes to one do not touch the other. */
  readonly status?: z.ZodType;
  readonly shortNames?: readonly string[];
  /** Such as `all`, for `kubectl get all`. */
  readonly categories?: readonly string[];
  readonly printerColumns?: readonly PrinterColumn[];
  readonly scale?: ScaleSubresource;
  /** CEL rules about the object as a whole, its name included. */
  readonly rules?: readonly { readonly rule: string; readonly message: string }[];
}

interface PrinterColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** Above 0 only in `kubectl get -o wide`. */
  readonly priority?: number;
}

/** What `kubectl scale` and autoscalers read and write. */
interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export function customResourceDefinition(custom: CustomResource) {
  const { resource, shortNames, categories } = custom;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: nameOf(resource) },
    spec: {
      group: resource.group,
      names: {
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        plural: resource.plural,
        singular: resource.kind.toLowerCase(),
        ...(shortNames && { shortNames: shortNames.toSorted() }),
        ...(categories && { categories: categories.toSorted() }),
      },
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      versions: [version(custom)],
    },
  } as const;
}

function version(custom: CustomResource) {
  const { resource, status, scale, printerColumns } = custom;
  return {
    name: resource.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schemaOf(custom) },
    ...((status || scale) && { subresources: { ...(status && { status: {} }), ...(scale && { scale }) } }),
    ...(printerColumns && { additionalPrinterColumns: printerColumns }),
  };
}

/** Made once for each: it is much work, and clusters that are simulated or looked at ask for it again and again. */
function schemaOf(custom: CustomResource): StructuralSchema {
  const schema = schemas.get(custom) ?? rootSchema(custom);
  schemas.set(custom, schema);
  return schema;
}

const schemas = new WeakMap<CustomResource, StructuralSchema>();

/** Of `metadata` the server checks everything by itself and wants nothing said. */
function rootSchema({ resource, description, spec, status, rules }: CustomResource): StructuralSchema {
  const { properties } = structuralSchema(z.object({ spec, ...(status && { status }) }));
  return {
    description,
    properties: {
      apiVersion: { description: `Always ${apiVersionOf(resource)}.`, type: 'string' },
      kind: { description: `Always ${resource.kind}.`, type: 'string' },
      metadata: { type: 'object' },
      ...(properties as StructuralSchema),
    },
    ...(!spec.safeParse(undefined).success && { required: ['spec'] }),
    type: 'object',
    ...(rules && { [VALIDATIONS]: rules }),
  };
}

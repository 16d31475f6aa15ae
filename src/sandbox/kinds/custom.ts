/** A kind that a CustomResourceDefinition adds. */
import type { StatusCause } from '../../kit/kube/api-error.ts';
import { apiVersionOf, type Resource } from '../../kit/kube/resource.ts';
import { type ApiObject, asJson, asObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { objectMetaSchema } from '../schema/built-in.ts';
import { withDefaults } from '../schema/defaults.ts';
import type { SchemaNode } from '../schema/definitions.ts';
import { schemaOf } from '../schema/open-api.ts';
import { ruleErrors } from '../schema/rules.ts';
import type { Schema } from '../schema/schema.ts';
import { validate, validateStatus } from '../schema/validate.ts';
import { VERBS, withOldStatus } from './built-in.ts';
import { AGE, ago, NAME } from './columns.ts';
import { jsonPath } from './json-path.ts';
import type { Cell, Column, Kind, ScalePaths } from './kind.ts';
import { subdomainFaults } from './name-faults.ts';

/** The same as others have, in an order of their own. */
const CUSTOM_VERBS = VERBS.toSorted((one, other) => placeOf(one) - placeOf(other));

function placeOf(verb: string): number {
  return ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'].indexOf(verb);
}

/** One for each version that is served. */
export function customKinds(definition: ApiObject): readonly Kind[] {
  return listAt(definition, 'spec', 'versions')
    .filter((version) => valueAt(version, 'served') === true)
    .map((version) => customKind(definition, version));
}

function customKind(definition: ApiObject, version: Json): Kind {
  const resource = resourceOf(definition, textAt(version, 'name'));
  const schema = schemaOf((valueAt(version, 'schema', 'openAPIV3Schema') ?? {}) as SchemaNode);
  const ruled = ruledSchema(schema);
  const hasStatus = valueAt(version, 'subresources', 'status') !== undefined;
  const scale = valueAt(version, 'subresources', 'scale');
  const texts = (name: string) => listAt(definition, 'spec', 'names', name).map(String);
  return {
    resource,
    stored: {
      name: `${resource.plural}.${resource.group}`,
      // As this version has it, with the defaults that it has now.
      fromStored: (object) => asObject(withDefaults({ ...asJson(object), apiVersion: apiVersionOf(resource) }, schema)),
    },
    verbs: CUSTOM_VERBS,
    subresources: [],
    singular: textAt(definition, 'spec', 'names', 'singular'),
    shortNames: texts('shortNames'),
    categories: texts('categories'),
    schema: wholeSchema(schema),
    isCustom: true,
    hasStatus,
    ...(isMap(scale) && { scale: scalePaths(scale) }),
    hasGeneration: true,
    updatesUnconditionally: false,
    createsOnUpdate: false,
    returnsDeleted: false,
    nameFaults: subdomainFaults,
    selectable: selectable(listAt(version, 'selectableFields')),
    defaulted: (object) => asObject(withDefaults(asJson(object), schema)),
    begun: hasStatus ? withoutStatus : (object) => object,
    updated: hasStatus ? withOldStatus : (object) => object,
    withStatus: onlyStatus,
    faults: (object, old, through) => faults(asJson(object), { schema, ruled }, old && asJson(old), through),
    marked: (object) => object,
    isHeld: () => false,
    columns: columnsOf(listAt(version, 'additionalPrinterColumns')),
  };
}

const resourceOf = (definition: ApiObject, version: string): Resource => ({
  group: textAt(definition, 'spec', 'group'),
  version,
  plural: textAt(definition, 'spec', 'names', 'plural'),
  kind: textAt(definition, 'spec', 'names', 'kind'),
  namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
});

const scalePaths = (scale: JsonMap): ScalePaths => ({
  specReplicasPath: textAt(scale, 'specReplicasPath'),
  statusReplicasPath: textAt(scale, 'statusReplicasPath'),
  ...(scale.labelSelectorPath !== undefined && { labelSelectorPath: textAt(scale, 'labelSelectorPath') }),
});

/** With what every object has, which a definition does not say. */
const wholeSchema = (schema: Schema): Schema => ({
  ...schema,
  properties: {
    ...schema.properties,
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: objectMetaSchema,
  },
});

const TEXT: Schema = { type: 'string' };

/** What rules see of every object. */
const ruledSchema = (schema: Schema): Schema => ({
  ...schema,
  properties: {
    ...schema.properties,
    apiVersion: TEXT,
    kind: TEXT,
    metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
  },
});

interface Schemas {
  readonly schema: Schema;
  readonly ruled: Schema;
}

function faults(object: JsonMap, { schema, ruled }: Schemas, old?: JsonMap, through?: string): readonly StatusCause[] {
  const ofShape = through === 'status' && old ? validateStatus(object, schema, old) : validate(object, schema, old);
  return [...ofShape, ...ruleErrors(object, ruled, ofShape, old)];
}

function withoutStatus({ status: _, ...object }: ApiObject): ApiObject {
  return object;
}

/** Through the status nothing else is changed, but who owns which field. */
function onlyStatus({ metadata, status }: ApiObject, old: ApiObject): ApiObject {
  const { status: _, ...rest } = old;
  const { managedFields } = metadata;
  return {
    ...rest,
    metadata: { ...old.metadata, ...(managedFields !== undefined && { managedFields }) },
    ...(status !== undefined && { status }),
  };
}

function selectable(fields: readonly Json[]): Kind['selectable'] {
  const paths = fields.map((field) => textAt(field, 'jsonPath').replace(/^\./, ''));
  const found = paths.map((path) => [path, jsonPath(path)] as const);
  return (object) => Object.fromEntries(found.map(([path, at]) => [path, String(at(object)[0] ?? '')]));
}

function columnsOf(columns: readonly Json[]): readonly Column[] {
  return columns.length === 0 ? [NAME, AGE] : [NAME, ...columns.map(columnOf)];
}

function columnOf(column: Json): Column {
  const type = textAt(column, 'type') as Column['type'];
  const at = jsonPath(textAt(column, 'jsonPath'));
  const [format, description, priority] = ['format', 'description', 'priority'].map((name) => valueAt(column, name));
  return {
    name: textAt(column, 'name'),
    type,
    ...(typeof format === 'string' && { format }),
    ...(typeof description === 'string' && { description }),
    ...(typeof priority === 'number' && { priority }),
    cell: (object, now) => cellOf(at(object), type, now),
  };
}

function cellOf(found: readonly Json[], type: Column['type'], now: Date): Cell {
  const [value] = found;
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return ago(String(value), now);
    default:
      return found.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(',');
  }
}

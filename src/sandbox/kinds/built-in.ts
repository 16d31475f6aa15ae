/** What kinds that come with Kubernetes have in common; each of them says only what is different. */
import { apiVersionOf, nameOf, type Resource } from '../../kit/kube/resource.ts';
import type { ApiObject } from '../api-object.ts';
import { builtInSchema } from '../schema/built-in.ts';
import type { Schema } from '../schema/schema.ts';
import { CREATED, NAME } from './columns.ts';
import type { Kind } from './kind.ts';
import { subdomainFaults } from './name-faults.ts';

export interface BuiltIn extends Partial<Omit<Kind, 'resource'>> {
  readonly resource: Resource;
}

/** Of a kind that nothing is known of. */
const ANYTHING: Schema = { native: true, preserveUnknownFields: true };

const same = (object: ApiObject): ApiObject => object;

export const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function builtIn(different: BuiltIn): Kind {
  const { resource, hasStatus = false } = different;
  let schema: Schema | undefined;
  return {
    stored: { name: nameOf(resource) },
    verbs: VERBS,
    subresources: [],
    singular: resource.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    get schema() {
      schema ??= builtInSchema(apiVersionOf(resource), resource.kind) ?? ANYTHING;
      return schema;
    },
    isCustom: false,
    hasStatus,
    hasGeneration: false,
    updatesUnconditionally: true,
    createsOnUpdate: false,
    returnsDeleted: false,
    nameFaults: subdomainFaults,
    selectable: () => ({}),
    defaulted: same,
    begun: same,
    updated: hasStatus ? withOldStatus : same,
    withStatus: withNewStatus,
    faults: () => [],
    marked: same,
    isHeld: () => false,
    columns: [NAME, CREATED],
    ...different,
  };
}

/** Status is written through its own subresource only. */
export function withOldStatus(object: ApiObject, old: ApiObject): ApiObject {
  const { status: _, ...rest } = object;
  return old.status === undefined ? rest : { ...rest, status: old.status };
}

/** Built-in kinds let the metadata be changed along with the status, but for the owners. */
function withNewStatus({ metadata, status }: ApiObject, old: ApiObject): ApiObject {
  const { ownerReferences: _, ...changed } = metadata;
  const { ownerReferences } = old.metadata;
  const { status: _s, ...rest } = old;
  return {
    ...rest,
    metadata: { ...changed, ...(ownerReferences && { ownerReferences }) },
    ...(status !== undefined && { status }),
  };
}

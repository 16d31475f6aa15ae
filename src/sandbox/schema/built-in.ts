/** The schemas of built-in kinds, as the API server of the conformance tests describes them. `make sandbox-schemas` writes them anew. */
import builtIn from './built-in.json' with { type: 'json' };
import goFields from './go-fields.json' with { type: 'json' };
import { type Library, schemaOf } from './open-api.ts';
import type { Schema } from './schema.ts';

const library: Library = { definitions: builtIn.definitions, goFields: goFields.fields };
const kinds: Readonly<Record<string, string>> = builtIn.kinds;
const schemas = new Map<string, Schema>();

/** Of a kind such as `StatefulSet` of `apps/v1`; undefined for one that the sandbox does not know. */
export function builtInSchema(apiVersion: string, kind: string): Schema | undefined {
  const $ref = kinds[`${apiVersion}/${kind}`];
  if ($ref === undefined) return undefined;
  const found = schemas.get($ref) ?? schemaOf({ $ref }, library);
  schemas.set($ref, found);
  return found;
}

/** What every object has under `metadata`, those of custom resources included. */
export const objectMetaSchema: Schema = schemaOf({ $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }, library);

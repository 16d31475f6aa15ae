/** `kubectl apply` notes what it applied in an annotation. An object that was managed that way can be taken over without conflicts. */
import { goJson } from '../go-text.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { compare } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import { fieldsIn } from './values.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** The fields that the annotation names, and that are still as it says. Undefined where there is none that counts. */
export function allowedByLastApplied(
  live: JsonMap,
  { schema, apiVersion }: { readonly schema: Schema; readonly apiVersion: string },
): FieldSet | undefined {
  const last = parsed(annotationsOf(live)[ANNOTATION]);
  if (last === undefined || last.apiVersion !== apiVersion) return undefined;
  const { added, modified, removed } = compare(last, live, schema);
  return [modified, added, removed].reduce(difference, fieldsIn(last, schema));
}

function parsed(text: Json | undefined): JsonMap | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const annotationsOf = ({ metadata }: JsonMap): JsonMap =>
  isMap(metadata) && isMap(metadata.annotations) ? metadata.annotations : {};

/** The annotation is kept up to date where there is one, so that people may go back to applying by the client. */
export function withLastApplied(object: JsonMap, config: JsonMap, manager: string): JsonMap {
  const annotations = annotationsOf(object);
  if (manager !== 'kubectl' || !annotations[ANNOTATION]) return object;
  const { [ANNOTATION]: _, ...others } = annotations;
  const text = `${goJson(withAnnotations(config, withoutAnnotation(config)))}\n`;
  const fits = sizeOf({ ...others, [ANNOTATION]: text }) <= MOST_ANNOTATION_BYTES;
  return withAnnotations(object, fits ? { ...others, [ANNOTATION]: text } : others);
}

function withoutAnnotation(config: JsonMap): JsonMap {
  const { [ANNOTATION]: _, ...others } = annotationsOf(config);
  return others;
}

function withAnnotations(object: JsonMap, annotations: JsonMap): JsonMap {
  const { annotations: _, ...metadata } = isMap(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) } };
}

const sizeOf = (annotations: JsonMap): number =>
  Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );

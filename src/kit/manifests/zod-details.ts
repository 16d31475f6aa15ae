/** What `z.toJSONSchema` passes over in silence: it is added to the schema, or refused where a CustomResourceDefinition cannot say it. */
import type { z } from 'zod';
import { refuse } from './schema-keywords.ts';

/** For the `override` of `z.toJSONSchema`. Called for every schema, wrappers such as `.optional()` included. */
export function addDetails(context: {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: Record<string, unknown>;
  readonly path: readonly (string | number)[];
}): void {
  const { zodSchema, jsonSchema } = context;
  const path = fieldPath(context.path);
  const { def } = zodSchema._zod;
  if (def.type === 'number' && jsonSchema.type === 'integer') jsonSchema.format = integerFormat(zodSchema);
  if (def.type === 'string') refusePatternFlags(zodSchema, path);
  if (def.type === 'record') refuseChosenKeys(def, path);
}

/** `properties.spec.properties.size` in the schema is the field `.spec.size`. */
const fieldPath = (path: readonly (string | number)[]): string =>
  path.map((part, i) => (path[i - 1] === 'properties' ? `.${part}` : part === 'items' ? '[]' : '')).join('');

function integerFormat(schema: z.core.$ZodTypes): string {
  return settingsOf(schema).some((settings) => 'format' in settings && settings.format === 'int32') ? 'int32' : 'int64';
}

/** A schema's own settings and those of its checks: `z.int32()` is a format by itself, `.int()` adds one. */
function settingsOf(schema: z.core.$ZodTypes): readonly object[] {
  const { def } = schema._zod;
  return [def, ...(def.checks ?? []).map((check) => check._zod.def)];
}

function refusePatternFlags(schema: z.core.$ZodTypes, path: string): void {
  for (const settings of settingsOf(schema)) {
    const pattern = 'pattern' in settings ? settings.pattern : undefined;
    if (!(pattern instanceof RegExp) || !/[ims]/.test(pattern.flags)) continue;
    refuse(path, `has the pattern ${pattern}, whose flags would be lost`, 'write it without flags');
  }
}

function refuseChosenKeys({ keyType }: z.core.$ZodRecordDef, path: string): void {
  const { def } = keyType._zod;
  if (def.type === 'string' && (def.checks ?? []).length === 0) return;
  refuse(path, 'is a map with chosen keys', 'take any string for a key and add a CEL rule, or name the fields');
}

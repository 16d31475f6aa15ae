/** Who wrote a field of an object, as far as the API server keeps account of it. */
import type { ObjectMeta } from './resource.ts';

/** An entry of `metadata.managedFields`: a manager, and the fields that it wrote last. */
export interface ManagedFields {
  readonly manager?: string;
  readonly fieldsV1?: { readonly 'f:metadata'?: { readonly 'f:labels'?: Readonly<Record<string, unknown>> } };
}

/** The managers of a label: several if they wrote the same value, none where the server keeps no account. */
export function managersOfLabel({ managedFields }: ObjectMeta, key: string): readonly string[] {
  const field = `f:${key}`;
  return (managedFields ?? [])
    .filter(({ fieldsV1 }) => fieldsV1?.['f:metadata']?.['f:labels']?.[field] !== undefined)
    .map(({ manager = '' }) => manager);
}

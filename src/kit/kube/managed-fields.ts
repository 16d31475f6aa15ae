/** Who wrote a field of an object, as far as the API server keeps account of it. */
import type { ObjectMeta } from './resource.ts';

/** An entry of `metadata.managedFields`: a manager, and the fields that it wrote last. */
export interface ManagedFields {
  readonly manager?: string;
  /** When it last wrote. */
  readonly time?: string;
  readonly fieldsV1?: {
    readonly 'f:metadata'?: Readonly<Partial<Record<KeyedField, Readonly<Record<string, unknown>>>>>;
  };
}

type KeyedField = 'f:labels' | 'f:annotations';

/** The managers of a label: several if they wrote the same value, none where the server keeps no account. */
export function managersOfLabel({ managedFields }: ObjectMeta, key: string): readonly string[] {
  const field = `f:${key}`;
  return (managedFields ?? [])
    .filter(({ fieldsV1 }) => fieldsV1?.['f:metadata']?.['f:labels']?.[field] !== undefined)
    .map(({ manager = '' }) => manager);
}

/** The keys of the labels that a manager wrote last; none where the server keeps no account. */
export const labelsManagedBy = (metadata: ObjectMeta, manager: string): readonly string[] =>
  keysManagedBy(metadata, manager, 'f:labels');

export const annotationsManagedBy = (metadata: ObjectMeta, manager: string): readonly string[] =>
  keysManagedBy(metadata, manager, 'f:annotations');

/** A manager may have several entries: one for each way in which it writes. */
function keysManagedBy({ managedFields }: ObjectMeta, manager: string, field: KeyedField): readonly string[] {
  const entries = (managedFields ?? []).filter((entry) => entry.manager === manager);
  const keys = entries.flatMap(({ fieldsV1 }) => Object.keys(fieldsV1?.['f:metadata']?.[field] ?? {}));
  return [...new Set(keys.filter((key) => key.startsWith('f:')).map((key) => key.slice(2)))];
}

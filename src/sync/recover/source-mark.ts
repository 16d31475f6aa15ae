/**
 * Where the data of a volume is, as a short text: two volumes have the same mark if nothing of that differs. Kept of every volume of
 * the cluster, so it must be small.
 */
import { hash } from 'node:crypto';

/** The fields of a volume's spec that do not say where its data is. All others do: each source of volumes is a field of its own. */
const NOT_OF_THE_SOURCE: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);
const LENGTH = 22;

export const isOfTheSource = (field: string): boolean => !NOT_OF_THE_SOURCE.has(field);

type Json = Readonly<Record<string, unknown>>;

export function sourceMark(spec: object | undefined): string {
  const { volumeMode } = (spec ?? {}) as { readonly volumeMode?: unknown };
  const source = Object.entries(spec ?? {}).filter(([field]) => isOfTheSource(field));
  return markOf({ ...Object.fromEntries(source), volumeMode: volumeMode ?? 'Filesystem' });
}

/** The same for values that say the same: what is empty says nothing, and fields have no order. */
export function markOf(value: unknown): string {
  const text = JSON.stringify(canonical(value)) ?? '';
  return hash('sha256', text, 'base64url').slice(0, LENGTH);
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((member) => canonical(member) ?? null);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const fields = Object.keys(value)
    .sort()
    .flatMap((field) => {
      const inner = canonical((value as Json)[field]);
      return inner === undefined ? [] : [[field, inner] as const];
    });
  return fields.length === 0 ? undefined : fields;
}

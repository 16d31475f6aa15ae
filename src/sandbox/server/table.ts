/** Objects as the rows of a table, which is what `kubectl get` asks for. */
import type { ApiObject } from '../api-object.ts';
import type { Column, Kind } from '../kinds/kind.ts';

export interface TableOptions {
  readonly now: Date;
  /** What goes with each row. */
  readonly include: 'Metadata' | 'Object' | 'None';
  /** Later tables of one watch leave them out. */
  readonly withColumns: boolean;
}

export function tableOf(
  { columns, resource }: Kind,
  objects: readonly ApiObject[],
  metadata: object,
  options: TableOptions,
): object {
  const rows = objects.map((object) => rowOf(columns, object, options));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: options.withColumns ? columns.map(definitionOf) : null,
    rows: objects.length === 0 && UNPRINTED.has(resource.plural) ? null : rows,
  };
}

/** Kinds that the server has no columns for: an empty table of them has no rows, not even an empty list. */
const UNPRINTED: ReadonlySet<string> = new Set(['roles', 'clusterroles']);

const definitionOf = ({ name, type, format = '', description = '', priority = 0 }: Column) => ({
  name,
  type,
  format,
  description,
  priority,
});

function rowOf(columns: readonly Column[], object: ApiObject, { now, include }: TableOptions): object {
  const cells = columns.map(({ cell }) => cell(object, now));
  if (include === 'None') return { cells, object: null };
  return { cells, object: include === 'Object' ? object : partial(object) };
}

/** An object without what is in it. */
export const partial = ({ metadata }: ApiObject): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

export const partialList = (items: readonly ApiObject[], metadata: object): object => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
  items: items.map(partial),
});

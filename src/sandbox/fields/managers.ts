/** Who owns which fields of an object: `metadata.managedFields`, read and written. */
import { byBytes } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import { type FieldSet, fromFieldsV1, toFieldsV1 } from './field-set.ts';

/** One who writes an object, in one way: the same name stands for several owners when it writes differently. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

export interface Owned {
  readonly manager: Manager;
  readonly fields: FieldSet;
  /** When the manager changed something last. */
  readonly time?: string;
}

/** By `idOf`. */
export type Owners = ReadonlyMap<string, Owned>;

/** Who applies remains the same in all versions of the API. */
export function idOf({ name, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    manager: name,
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  });
}

/** Who was written down as entries: the next write reads just these. */
const writtenAs = new WeakMap<readonly Json[], Owners>();

/** Throws what the server says of entries that it cannot read. */
export function ownersIn(object: JsonMap): Owners {
  const entries = entriesOf(object) ?? [];
  return writtenAs.get(entries) ?? readEntries(entries);
}

function readEntries(entries: readonly Json[]): Owners {
  return new Map(
    entries.map((entry, index) => {
      const owned = readEntry(isMap(entry) ? entry : {}, index);
      return [idOf(owned.manager), owned];
    }),
  );
}

export function entriesOf({ metadata }: JsonMap): readonly Json[] | undefined {
  const entries = isMap(metadata) ? metadata.managedFields : undefined;
  return isList(entries) ? entries : undefined;
}

function readEntry(entry: JsonMap, index: number): Owned {
  const { operation, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (textOf(entry, 'apiVersion') === '') throw new Error('apiVersion must not be empty');
  const type = textOf(entry, 'fieldsType');
  if (type === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (type !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${JSON.stringify(type)} in managed fields entry ${index}`);
  const manager: Manager = {
    name: textOf(entry, 'manager'),
    operation,
    apiVersion: textOf(entry, 'apiVersion'),
    subresource: textOf(entry, 'subresource'),
  };
  return { manager, fields: fromFieldsV1(entry.fieldsV1 ?? {}), ...(typeof time === 'string' && { time }) };
}

function textOf(entry: JsonMap, field: string): string {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
}

/** The object with these owners and no others. */
export function withOwners(object: JsonMap, owners: Owners): JsonMap {
  if (owners.size === 0 && isMap(object.metadata) && object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = isMap(object.metadata) ? object.metadata : {};
  if (owners.size === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: writeEntries(owners) } };
}

function writeEntries(owners: Owners): readonly Json[] {
  const sorted = [...owners].sort(([, a], [, b]) => inOrder(a, b));
  const entries = sorted.map(([, owned]) => writeEntry(owned));
  writtenAs.set(entries, new Map(sorted));
  return entries;
}

function writeEntry({ manager: { name, operation, apiVersion, subresource }, fields, time }: Owned): JsonMap {
  return {
    manager: name,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource !== '' && { subresource }),
  };
}

function inOrder(a: Owned, b: Owned): number {
  return (
    byBytes(a.manager.operation, b.manager.operation) ||
    secondsOf(a) - secondsOf(b) ||
    byBytes(a.manager.name, b.manager.name) ||
    byBytes(a.manager.apiVersion, b.manager.apiVersion) ||
    byBytes(a.manager.subresource, b.manager.subresource)
  );
}

export const secondsOf = ({ time }: Owned): number => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

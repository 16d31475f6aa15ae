/**
 * The export itself: one JSON object with all StorageClasses and the volumes and claims in scope, as the original writes and reads it.
 * Objects go in as text and come out one by one, so that never all of them are in memory as objects.
 */
import { isUtf8 } from 'node:buffer';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { STORAGE_CLASSES, type StorageClass } from '../../api/storage-classes.ts';
import { atOnce } from '../../kit/in-turns.ts';
import { formatJson, parseJson } from '../../kit/kube/json.ts';
import { apiVersionOf, type KubeObject, keyOfObject, type Resource } from '../../kit/kube/resource.ts';
import { checkedObject, type Named } from './exported-object.ts';
import type { Counts } from './manifest.ts';
import { type Extent, type SplitLimits, splitLists } from './split-lists.ts';
import { ExportIsUnreadable } from './unreadable.ts';

/** An object as it stands in an export: its JSON, without what changes although nothing has. */
export type Captured = string;

/** Each in the order of their keys, so that the same objects always make the same document. */
export interface CapturedObjects {
  readonly storageClasses: Iterable<Captured>;
  readonly volumes: Iterable<Captured>;
  readonly claims: Iterable<Captured>;
}

export interface ExportDocument {
  readonly counts: Counts;
  /**
   * Each object is read when its turn comes. One that cannot be read, or comes twice, throws `ExportIsUnreadable`: read all of them
   * before you act on any.
   */
  readonly storageClasses: ExportedObjects<StorageClass>;
  readonly volumes: ExportedObjects<PersistentVolume>;
  readonly claims: ExportedObjects<PersistentVolumeClaim>;
}

export interface ExportedObjects<T extends KubeObject> extends Iterable<Named<T>> {
  /** The one at that place once more, read anew: whoever will need it later need not keep it. */
  at(index: number): Named<T>;
}

/** An API server stores no object of more than a megabyte and a half, and few that are nested more than ten deep. */
const LIMITS: SplitLimits = { members: 1_000_000, bytesOfMember: 4 * 1024 ** 2, depth: 100 };

const LISTS = ['storage_classes', 'persistent_volumes', 'persistent_volume_claims'] as const;

/** Lists of an API server do not say of each object what it is; an export does. */
export function captured<T extends KubeObject>(resource: Resource<T>, object: T): Captured {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  const { managedFields: _fields, resourceVersion: _resourceVersion, ...kept } = metadata;
  return formatJson({ apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: kept, ...rest });
}

/** Few enough that nobody waits long for them, and so many that giving way costs nothing. */
const PIECES_IN_A_TURN = 1_000;

/** Written into one buffer: a string of all of it would be twice as large, and has a limit of half a gigabyte. */
export function* documentInTurns({ storageClasses, volumes, claims }: CapturedObjects): Generator<void, Buffer> {
  const pieces = [storageClasses, volumes, claims].flatMap((objects, index) => [
    `${index === 0 ? '{' : '],'}"${LISTS[index]}":[`,
    ...separated(objects),
  ]);
  pieces.push(']}');
  const [first = [], ...others] = inGroups(pieces, PIECES_IN_A_TURN);
  let bytes = bytesOf(first);
  for (const group of others) {
    yield;
    bytes += bytesOf(group);
  }
  const body = Buffer.allocUnsafe(bytes);
  let end = write(body, first, 0);
  for (const group of others) {
    yield;
    end = write(body, group, end);
  }
  return body;
}

const bytesOf = (pieces: readonly string[]): number =>
  pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0);

/** Where it ends. */
const write = (body: Buffer, pieces: readonly string[], from: number): number =>
  pieces.reduce((at, piece) => at + body.write(piece, at), from);

const inGroups = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

export const documentOf = (objects: CapturedObjects): Buffer => atOnce(documentInTurns(objects));

function* separated(objects: Iterable<Captured>): Iterable<string> {
  let isFirst = true;
  for (const object of objects) {
    if (!isFirst) yield ',';
    yield object;
    isFirst = false;
  }
}

/** Throws `ExportIsUnreadable` for what is empty, truncated, or no export. */
export function readDocument(body: Buffer): ExportDocument {
  if (body.length === 0) throw new ExportIsUnreadable('exportIsEmpty', 'not an export: it is empty');
  if (!isUtf8(body)) throw new ExportIsUnreadable('exportIsForeign', 'not an export: it is no text in UTF-8');
  const lists = splitLists(body, LISTS, LIMITS);
  const { storage_classes: storageClasses, persistent_volumes: volumes, persistent_volume_claims: claims } = lists;
  return {
    counts: { storageClasses: storageClasses.length, volumes: volumes.length, claims: claims.length },
    storageClasses: objectsIn(body, storageClasses, STORAGE_CLASSES),
    volumes: objectsIn(body, volumes, PERSISTENT_VOLUMES),
    claims: objectsIn(body, claims, PERSISTENT_VOLUME_CLAIMS),
  };
}

/** Each object is checked when all are read for the first time; they are read again several times, and are the same bytes then. */
function objectsIn<T extends KubeObject>(
  body: Buffer,
  extents: readonly Extent[],
  resource: Resource<T>,
): ExportedObjects<T> {
  let areChecked = false;
  const read = ({ start, end }: Extent): Named<T> => {
    const value = parsed(body.toString('utf8', start, end), start);
    return areChecked ? (value as Named<T>) : checkedObject(resource, value);
  };

  function* each(): Generator<Named<T>, void> {
    if (areChecked) return yield* extents.values().map(read);
    const keys = new Set<string>();
    for (const extent of extents) {
      const object = read(extent);
      const key = keyOfObject(object);
      if (keys.has(key))
        throw new ExportIsUnreadable('exportIsMalformed', `${resource.kind} ${key} is in the export twice`);
      keys.add(key);
      yield object;
    }
    areChecked = true;
  }

  return {
    [Symbol.iterator]: each,
    at(index) {
      const extent = extents[index];
      if (extent === undefined) throw new RangeError(`the export has no ${resource.kind} at place ${index}`);
      return read(extent);
    },
  };
}

function parsed(text: string, start: number): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const message = `not an export that can be read: the object at byte ${start} is no JSON`;
    throw new ExportIsUnreadable('exportIsMalformed', message, { cause });
  }
}

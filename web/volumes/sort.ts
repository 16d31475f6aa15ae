/**
 * The order of rows: by one column, then by name, so that it is always the same. Those that have nothing in the column come last.
 * Ten thousand rows are put in order between two frames: they are taken as they were in order the last time, and to sort what is
 * nearly sorted is to look at each once.
 */
import type { VolumeRow } from '../../src/console/model.ts';
import { severity } from '../words/health.ts';
import { COLUMNS, type Column, type Order } from './query.ts';

type Volumes = ReadonlyMap<string, VolumeRow>;

/** By what is asked for; other volumes are another map. */
const rowsOnce = new WeakMap<Volumes, Map<string, readonly VolumeRow[]>>();
const namesBefore = new Map<string, readonly string[]>();

const asWords = ({ by, descending }: Order): string => `${by} ${descending}`;

/** One that nobody has asked for yet. The first time takes longest: it had better be when nobody waits. */
export const orderToCome = (): Order | undefined =>
  COLUMNS.map((by): Order => ({ by, descending: false })).find((order) => !namesBefore.has(asWords(order)));

export function sorted(volumes: Volumes, order: Order): readonly VolumeRow[] {
  const asked = asWords(order);
  const known = rowsOnce.get(volumes) ?? new Map<string, readonly VolumeRow[]>();
  rowsOnce.set(volumes, known);
  let rows = known.get(asked);
  if (!rows) {
    rows = asBefore(volumes, namesBefore.get(asked) ?? [...volumes.keys()].sort()).sort(comparing(order));
    known.set(asked, rows);
    namesBefore.set(
      asked,
      rows.map(({ name }) => name),
    );
  }
  return rows;
}

/** Those that are new come last. */
function asBefore(volumes: Volumes, names: readonly string[]): VolumeRow[] {
  const rows: VolumeRow[] = [];
  for (const name of names) {
    const row = volumes.get(name);
    if (row) rows.push(row);
  }
  if (rows.length === volumes.size) return rows;
  const known = new Set(names);
  for (const row of volumes.values()) if (!known.has(row.name)) rows.push(row);
  return rows;
}

type Key = string | number | undefined;

const KEYS: Readonly<Record<Column, (row: VolumeRow) => Key>> = {
  health: (row) => severity(row.health),
  name: (row) => row.name,
  claim: (row) => row.claim,
  capacity: (row) => row.capacityBytes,
  class: (row) => row.storageClass,
  zone: (row) => row.zone,
  node: (row) => row.node,
  source: (row) => row.source,
  /** As the API writes times, their order is that of their letters. */
  age: (row) => row.createdAt,
};

/** By code unit: names are ASCII, and to compare as people of a language do takes many times as long. */
function comparing({ by, descending }: Order): (a: VolumeRow, b: VolumeRow) => number {
  const key = KEYS[by];
  // The youngest come first: what is new is what one looks for.
  const before = (by === 'age') === descending ? -1 : 1;
  return (a, b) => {
    const ofA = key(a);
    const ofB = key(b);
    if (ofA === ofB) return a.name < b.name ? -1 : 1;
    if (ofA === undefined) return 1;
    if (ofB === undefined) return -1;
    return ofA < ofB ? before : -before;
  };
}

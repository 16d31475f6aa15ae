/**
 * The order of rows: by one column, then by name, so that it is always the same. Those that have nothing in the column come last.
 * Ten thousand rows are put in order between two frames: by numbers alone, which browsers sort fastest.
 */
import type { VolumeRow } from '../../src/console/model.ts';
import { severity } from '../words/health.ts';
import type { Column, Order } from './query.ts';

type Volumes = ReadonlyMap<string, VolumeRow>;

export function sorted(volumes: Volumes, { by, descending }: Order): readonly VolumeRow[] {
  const named = byName(volumes);
  if (by === 'name') return descending ? named.toReversed() : named;
  const keys = named.map(KEYS[by]);
  // The youngest come first: what is new is what one looks for.
  const rankOf = ranks(keys, by === 'age' ? !descending : descending);
  // One number says both: the place of the row's key among all keys, and of its name among all names.
  const places = Float64Array.from(keys, (key, index) => (rankOf.get(key) ?? 0) * named.length + index).sort();
  return Array.from(places, (place) => named[place % named.length] as VolumeRow);
}

const namedOnce = new WeakMap<Volumes, readonly VolumeRow[]>();

/** By code unit: names are ASCII. */
function byName(volumes: Volumes): readonly VolumeRow[] {
  let named = namedOnce.get(volumes);
  if (!named) {
    named = [...volumes.keys()].sort().map((name) => volumes.get(name) as VolumeRow);
    namedOnce.set(volumes, named);
  }
  return named;
}

type Key = string | number | undefined;

const KEYS: Readonly<Record<Exclude<Column, 'name'>, (row: VolumeRow) => Key>> = {
  health: (row) => severity(row.health),
  claim: (row) => row.claim,
  capacity: (row) => row.capacityBytes,
  class: (row) => row.storageClass,
  zone: (row) => row.zone,
  node: (row) => row.node,
  source: (row) => row.source,
  /** As the API writes times, their order is that of their letters. */
  age: (row) => row.createdAt,
};

function ranks(keys: readonly Key[], descending: boolean): ReadonlyMap<Key, number> {
  const known = [...new Set(keys)].filter((key) => key !== undefined);
  const numbers = known.filter((key) => typeof key === 'number');
  const words = known.filter((key) => typeof key === 'string');
  const inOrder: Key[] = [...Float64Array.from(numbers).sort(), ...words.sort()];
  if (descending) inOrder.reverse();
  return new Map([...inOrder, undefined].map((key, rank) => [key, rank]));
}

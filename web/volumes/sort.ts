/** The order of rows: by one column, then by name, so that it is always the same. Those that have nothing in the column come last. */
import type { VolumeRow } from '../../src/console/model.ts';
import { severity } from '../words/health.ts';
import type { Column, Order } from './query.ts';

export function sorted(rows: Iterable<VolumeRow>, { by, descending }: Order): readonly VolumeRow[] {
  const key = KEYS[by];
  const direction = descending ? -1 : 1;
  return [...rows].sort((a, b) => compare(key(a), key(b), direction) || plain(a.name, b.name));
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
  /** The youngest first: what is new is what one looks for. */
  age: (row) => -Date.parse(row.createdAt),
};

function compare(a: Key, b: Key, direction: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return plain(a, b) * direction;
}

/** By code unit: ten times as fast as by the rules of a language, and names are ASCII. */
const plain = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

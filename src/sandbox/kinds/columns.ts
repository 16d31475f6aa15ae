/** The columns of `kubectl get`, and how their cells are written. */
import { type ApiObject, textAt, valueAt } from '../api-object.ts';
import type { Cell, Column } from './kind.ts';

export const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  cell: ({ metadata }) => metadata.name ?? '',
};

/** Of kinds that say nothing else. */
export const CREATED: Column = {
  name: 'Created At',
  type: 'date',
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};

export const AGE: Column = {
  name: 'Age',
  type: 'string',
  cell: ({ metadata }, now) => ago(metadata.creationTimestamp, now),
};

export const column = (name: string, cell: (object: ApiObject, now: Date) => Cell): Column => ({
  name,
  type: 'string',
  cell,
});

/** Shown by `-o wide`. */
export const wide = (name: string, cell: (object: ApiObject, now: Date) => Cell): Column => ({
  ...column(name, cell),
  priority: 1,
});

export const integer = (name: string, cell: (object: ApiObject) => number): Column => ({ name, type: 'integer', cell });

/** What stands at a path, or else another word. */
export const at =
  (path: string, otherwise = '') =>
  (object: ApiObject): string =>
    textAt(object, ...path.split('.')) || otherwise;

export const countAt =
  (...path: readonly string[]) =>
  (object: ApiObject): number =>
    Object.keys(valueAt(object, ...path) ?? {}).length;

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Each once, in the order of the table above. */
export function accessModes(modes: readonly unknown[]): string {
  return Object.keys(MODES)
    .filter((mode) => modes.includes(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

export function ago(time: string | null | undefined, now: Date): string {
  if (!time) return '<unknown>';
  return humanDuration(now.getTime() - Date.parse(time));
}

/** As short as it can be said with a precision that is worth saying. */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return both(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 8 * 365 ? both(years, 'y', days % 365, 'd') : `${years}y`;
}

const both = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;

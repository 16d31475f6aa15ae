/** A row as it is shown, with what it adds to the overview: so whoever may see the row may see that, and nobody else. */
import type { Activity, Health, Need } from './model.ts';

export interface Shown<T> {
  readonly row: T;
  readonly needs: readonly Need[];
  readonly activities: readonly Activity[];
}

const ORDER: readonly Health[] = ['failed', 'attention', 'unknown', 'busy', 'well'];

/** The first of these that any of them is. */
export const worstOf = (healths: Iterable<Health>): Health => {
  const all = new Set(healths);
  return ORDER.find((health) => all.has(health)) ?? 'well';
};

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** As a sentence of its own. */
export const sentence = (text: string): string => {
  const line = text.trim();
  return `${line.charAt(0).toUpperCase()}${line.slice(1)}${/[.!?]$/.test(line) ? '' : '.'}`;
};

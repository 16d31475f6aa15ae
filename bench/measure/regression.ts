/** Ratios that have become worse than those that are recorded. A machine that is slow today is slow for the limit, too: only ratios are compared. */
import { nameOf, type Row } from './row.ts';

export interface Regression {
  readonly row: Row;
  readonly before: number;
  readonly now: number;
}

/** More than this is no matter of chance. */
const TOLERANCE = 1.2;

/** A name that several benchmarks of a group have does not tell which of them is meant, and is not compared. */
export function regressions(recorded: readonly Row[], rows: readonly Row[]): readonly Regression[] {
  const before = onlyOnes(recorded);
  const now = onlyOnes(rows);
  return [...now].flatMap(([name, row]) => {
    const old = before.get(name)?.ratio;
    if (old === undefined || row.ratio === undefined) return [];
    const isWorse = isBetterHigher(row) ? row.ratio < old / TOLERANCE : row.ratio > old * TOLERANCE;
    return isWorse ? [{ row, before: old, now: row.ratio }] : [];
  });
}

/** Of what is done in a second, more is better. */
const isBetterHigher = ({ unit }: Row): boolean => unit.endsWith('/s');

function onlyOnes(rows: readonly Row[]): ReadonlyMap<string, Row> {
  const named = [...Map.groupBy(rows, nameOf)];
  return new Map(named.flatMap(([name, found]) => (found.length === 1 && found[0] ? [[name, found[0]] as const] : [])));
}

export const inWords = ({ row, before, now }: Regression): string =>
  `${nameOf(row)}: ${now.toFixed(2)}× the limit, and ${before.toFixed(2)}× recorded, ${Math.round(Math.abs(now / before - 1) * 100)} % ${now > before ? 'more' : 'less'}`;

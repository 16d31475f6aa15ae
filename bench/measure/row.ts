/** A line of the results: one figure of ours beside the limit and the published client, and whether it is as good as it has to be. */

export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly unit: string;
  /** The least that it can cost: the same work with nothing around it. */
  readonly limit?: number;
  readonly ours: number;
  readonly published?: number;
  /** Ours over the limit, in the median of the rounds: not exactly the quotient of the medians. */
  readonly ratio?: number;
  readonly target?: Target;
  /** When it comes from another run than most of the results: a part of them was measured once more. */
  readonly since?: Measured;
}

export interface Measured {
  readonly date: string;
  readonly rounds: number;
  /** Of the machine, before the run. */
  readonly load: number;
}

export type Target =
  | { readonly ratioAtMost: number }
  | { readonly oursAtMost: number }
  | { readonly oursAtLeast: number };

/** Undefined for a row that is there to be read only. */
export function meetsTarget({ ours, ratio, target }: Row): boolean | undefined {
  if (!target) return undefined;
  if ('oursAtMost' in target) return ours <= target.oursAtMost;
  if ('oursAtLeast' in target) return ours >= target.oursAtLeast;
  return ratio !== undefined && ratio <= target.ratioAtMost;
}

export const nameOf = ({ what, figure }: Row): string => `${what}: ${figure}`;

/**
 * The new ones in the places of those of the same name, marked as such; the others stay as they are. A name that two benchmarks of a
 * group have does not tell which of them is meant: such a figure is renewed only with all of them.
 */
export function renewed(rows: readonly Row[], by: readonly Row[], since: Measured): readonly Row[] {
  const places = Map.groupBy(rows, nameOf);
  const fresh = new Map(by.map((row) => [nameOf(row), { ...row, since }]));
  const added = [...fresh].filter(([name]) => !places.has(name)).map(([, row]) => row);
  const isOnly = (name: string) => places.get(name)?.length === 1;
  return [...rows.map((row) => (isOnly(nameOf(row)) && fresh.get(nameOf(row))) || row), ...added];
}

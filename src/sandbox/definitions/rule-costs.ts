/** What rules may cost: each by itself, and all of a definition together. */
import { type FieldError, forbidden } from '../schema/field-error.ts';

export interface RuleCost {
  readonly path: string;
  readonly cost: number;
}

const MOST_OF_ONE = 10_000_000;
const MOST_OF_ALL = 100_000_000;

export function costFaults({ path, cost }: RuleCost): readonly FieldError[] {
  if (cost <= MOST_OF_ONE) return [];
  const what = path.endsWith('.rule') ? 'estimated rule cost' : 'estimated messageExpression cost';
  return [forbidden(path, exceeds(what, cost, MOST_OF_ONE))];
}

/** Of all rules of one schema. The four dearest are named, if they matter. */
export function totalFaults(costs: readonly RuleCost[], path: string): readonly FieldError[] {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= MOST_OF_ALL) return [];
  const dearest = costs.filter(({ cost }) => cost >= MOST_OF_ALL / 100).toSorted((one, other) => other.cost - one.cost);
  return [
    ...dearest.slice(0, 4).map((each) => forbidden(each.path, CONTRIBUTED)),
    forbidden(path, exceeds(TOTAL, total, MOST_OF_ALL)),
  ];
}

const CONTRIBUTED = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
const TOTAL = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
const ADVICE =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function exceeds(what: string, cost: number, most: number): string {
  const factor = cost / most;
  const told = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${told} (${ADVICE})`;
}

/** Label selectors: a list of conditions that all have to hold. Read from an object here, and from text in selector-syntax.ts. */
import { InvalidValue } from './invalid-value.ts';
import {
  formatRequirement,
  type LabelRequirement,
  type Labels,
  readRequirement,
  satisfies,
  type WrittenRequirement,
} from './label-requirements.ts';

export type LabelSelector = readonly LabelRequirement[];

export const EVERYTHING: LabelSelector = [];

/** What an absent selector object selects. Spelled as a contradiction, so that it stays true as text too, where the empty text selects everything. */
export const NOTHING: LabelSelector = [
  { key: 'nothing', operator: 'Exists' },
  { key: 'nothing', operator: 'DoesNotExist' },
];

/** `metav1.LabelSelector`, as it stands in an object. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | null | undefined;
  readonly matchExpressions?: readonly WrittenRequirement[] | null | undefined;
}

const OBJECT_OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** No object selects nothing, an empty one everything. Throws `InvalidValue` where the API server would refuse it. */
export function labelSelectorOf(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === null || object === undefined) return NOTHING;
  const pairs = Object.entries(object.matchLabels ?? {});
  const equalities = pairs.map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return inOrder([...equalities, ...(object.matchExpressions ?? [])].map(readObjectRequirement));
}

function readObjectRequirement(written: WrittenRequirement): LabelRequirement {
  const read = OBJECT_OPERATORS.has(written.operator)
    ? readRequirement(written)
    : 'the operator must be one of In, NotIn, Exists and DoesNotExist';
  if (typeof read !== 'string') return read;
  throw new InvalidValue('label selector', `${written.key} ${written.operator} (${written.values ?? ''})`, read);
}

/** Sorted by key, so that equal selectors are written the same. */
export function inOrder(requirements: readonly LabelRequirement[]): LabelSelector {
  return requirements.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}

export function matches(selector: LabelSelector, labels: Labels | null | undefined): boolean {
  return selector.every((requirement) => satisfies(labels ?? {}, requirement));
}

/** The text for the API's `labelSelector` parameter. It reads back as the same selector. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.map(formatRequirement).join(',');
}

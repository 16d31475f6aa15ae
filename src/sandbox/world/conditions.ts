/** Conditions in the status of objects: each type once, and the time of its last transition only when its status changes. */

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

type Conditions = readonly Partial<Condition>[] | null | undefined;

/** The same list when it says so already. */
export function conditionsWith(conditions: Conditions, condition: Condition): readonly Condition[] {
  const known = (conditions ?? []).filter((each): each is Condition => each.type !== undefined);
  const before = known.find(({ type }) => type === condition.type);
  const isSame = before?.status === condition.status && before.message === condition.message;
  if (isSame) return known;
  const { lastTransitionTime } = before?.status === condition.status ? before : condition;
  const others = known.filter(({ type }) => type !== condition.type);
  return [...others, { ...condition, ...(lastTransitionTime !== undefined && { lastTransitionTime }) }];
}

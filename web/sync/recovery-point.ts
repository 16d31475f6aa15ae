/** The moment up to which everything could be had back: of the newest export, or when it was last said that this is still all that there is. */
export function recoveryPoint(newest: { readonly exportedAt: string; readonly confirmedAt?: string }): string {
  const { exportedAt, confirmedAt } = newest;
  return confirmedAt !== undefined && Date.parse(confirmedAt) > Date.parse(exportedAt) ? confirmedAt : exportedAt;
}

/** The value that so many of a hundred do not exceed; of few values, the highest. */
export function percentile(values: readonly number[], of: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((of / 100) * sorted.length) - 1] ?? Number.NaN;
}

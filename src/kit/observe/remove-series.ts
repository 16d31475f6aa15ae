/** What is counted of an object ends with the object. */
import type { Counter, Gauge, Histogram } from 'prom-client';

/** Removes the series in which the label has the value. Of what is gone nothing is counted any more. */
export async function removeSeries(
  metrics: readonly (Counter | Gauge | Histogram)[],
  label: string,
  value: string,
): Promise<void> {
  for (const metric of metrics) {
    const { values } = await metric.get();
    for (const { labels } of values) if (labels[label] === value) metric.remove(withoutBucket(labels));
  }
}

/** A histogram tells its buckets as a label that is none of its own. */
function withoutBucket({ le, ...labels }: Partial<Record<string, string | number>>) {
  return labels;
}

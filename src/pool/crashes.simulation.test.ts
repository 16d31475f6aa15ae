import { describe, expect, test } from 'vitest';
import { SimulatedCluster } from './simulated-cluster.ts';
import type { Fault } from './simulated-process.ts';
import { rehearsed, story } from './simulated-story.ts';

const PATIENCE = { timeout: 300_000 };

test('the story of a pool', async () => {
  const { pictures, cluster } = await rehearsed();
  expect(cluster.violations).toEqual([]);
  expect(cluster.api.forNothing).toEqual([]);
  expect(pictures).toMatchObject([
    { station: 'made', replicas: 2, claims: ['vol-data-sts-0 1Gi 1', 'vol-data-sts-1 1Gi 1'] },
    { station: 'larger', replicas: 4, lost: [] },
    { station: 'smaller', replicas: 2, claims: ['vol-data-sts-0 1Gi 1', 'vol-data-sts-1 1Gi 1'], lost: [] },
    { station: 'renewed and grown', image: 'holdfast:2', claims: ['vol-data-sts-0 2Gi 1', 'vol-data-sts-1 2Gi 1'] },
    { replicas: 2, annotations: {}, operation: undefined, lost: [], stored: 18 },
  ]);
});

describe.each(['crash-before', 'crash-after', 'lost-before', 'lost-after'] as const)('%s', PATIENCE, (fault: Fault) => {
  test('at any call makes no difference in the end', async () => {
    const { pictures, cluster: undisturbed } = await rehearsed();
    for (const [index, call] of undisturbed.calls.entries()) {
      const cluster = new SimulatedCluster();
      cluster.faults.set(index + 1, fault);
      expect(await story(cluster), `${fault} ${call}`).toEqual(pictures);
      expect(cluster.violations, `${fault} ${call}`).toEqual([]);
      // A write whose reply was lost is found done by who sends it again.
      expect(cluster.calls.length, `${fault} ${call}`).toBeLessThan(undisturbed.calls.length + 30);
    }
  });
});

/** Every right of the console's account is needed: without any one of them, something that the console asks is refused. */
import { expect, test, vi } from 'vitest';
import { ConnectionError } from '../kit/kube/transport.ts';
import { rolesOf } from '../kit/manifests/rbac.ts';
import type { Cluster } from '../sandbox/cluster.ts';
import { hearRefusals, type Right, rightsIn, takeAway } from '../sandbox/removed-right.ts';
import { accountOf, grant } from '../sandbox/rights.ts';
import { newCluster, SimulatedConsole } from './simulated-console.ts';
import { consoleSpec } from './spec.ts';

/** What is refused to a console of which somebody asks something with a token of theirs. */
async function refusedWithout(right: Right | undefined, isEnough: (refusals: ReadonlySet<Right>) => boolean) {
  const cluster = newCluster();
  const refusals = new Set<Right>();
  grant(cluster.objects, consoleSpec);
  if (right) takeAway(cluster, right);
  if (right?.startsWith('list ')) breakFirstStreams(cluster);
  hearRefusals(cluster, refusals);
  const options = { user: accountOf('console'), withTokens: true, namespace: 'default' };
  await using console = await SimulatedConsole.open(options, cluster);
  const token = cluster.access.tokens.give({ name: 'somebody', groups: ['system:masters', 'system:authenticated'] });
  await vi.waitFor(
    async () => {
      const { status } = await console.ask('/api/clusters/here/volumes/none', {
        headers: { authorization: `Bearer ${token}` },
      });
      if (right === undefined) expect(status).toBe(404);
      expect(isEnough(refusals)).toBe(true);
    },
    { timeout: 10_000, interval: 50 },
  );
  return refusals;
}

/** Where the state of a collection cannot be had as the beginning of a stream, it is listed. */
function breakFirstStreams(cluster: Cluster): void {
  const transport = cluster.transport.bind(cluster);
  cluster.transport = (user) => {
    const inner = transport(user);
    return {
      close: () => inner.close(),
      request: async (asked) => {
        if (asked.path.includes('sendInitialEvents')) throw new ConnectionError('it broke', { mayHaveHappened: true });
        return await inner.request(asked);
      },
    };
  };
}

test('with all of them, nothing is refused', async () => {
  expect([...(await refusedWithout(undefined, () => true))]).toEqual([]);
});

test.each(rightsIn(rolesOf(consoleSpec)))('is refused something without the right to %s', async (right) => {
  expect([...(await refusedWithout(right, (refusals) => refusals.has(right)))]).toEqual([right]);
});

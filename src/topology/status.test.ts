import { expect, test } from 'vitest';
import type { Pod } from '../api/pods.ts';
import { Snapshot } from '../kit/cache/snapshot.ts';
import { at, claimObject, nodeObject, podObject, policy, volumeObject } from './builders.ts';
import { type Served, servedCluster } from './served-cluster.ts';
import { statusViews, topologyStatus } from './status.ts';

async function statusOf(served: Served) {
  const { client } = servedCluster(served);
  const snapshot = new Snapshot();
  const views = statusViews(snapshot, policy());
  await snapshot.fill(client, {});
  return topologyStatus(views, policy());
}

const waiting = (name: string, claim: string, parts: object = {}): Pod => ({
  metadata: { namespace: 'default', name },
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }], ...parts },
  status: { phase: 'Pending' },
});

test('each volume is told with its place, or why it has none', async () => {
  const { volumes } = await statusOf({
    volumes: [
      volumeObject('pv-3', undefined),
      volumeObject('pv-1', 'data-1', at('a', 'r')),
      volumeObject('pv-2', 'data-2'),
      volumeObject('pv-4', 'gone'),
    ],
    claims: [claimObject('data-1', 'pv-1'), claimObject('data-2', 'pv-2')],
    pods: [podObject('web-1', 'data-1', 'node-a'), podObject('web-2', 'data-2', 'node-a')],
    nodes: [nodeObject('node-a', at('a', 'r'))],
  });
  expect(volumes).toMatchObject([
    { volume: 'pv-1', claim: 'default/data-1', zone: 'a', region: 'r', state: 'alreadyRight' },
    { volume: 'pv-2', zone: '', state: 'toBeLabelled', why: expect.stringContaining('is holdfast topology running?') },
    { volume: 'pv-3', claim: '', state: 'volumeIsUnclaimed', why: 'no claim has it' },
    { volume: 'pv-4', state: 'claimIsGone', why: 'its claim default/gone is gone' },
  ]);
});

test('pods that wait for a zone without nodes are told, in the order of their names; others are not', async () => {
  const { unplaceable } = await statusOf({
    volumes: [volumeObject('pv-1', 'data-1', at('a')), volumeObject('pv-2', 'data-2', at('b'))],
    claims: [claimObject('data-1', 'pv-1'), claimObject('data-2', 'pv-2'), claimObject('unbound')],
    pods: [
      waiting('web-9', 'data-1'),
      waiting('web-1', 'data-1'),
      waiting('web-2', 'data-2'),
      waiting('web-3', 'unbound'),
      waiting('web-4', 'data-1', { nodeName: 'node-b' }),
      waiting('web-5', 'data-1', { nodeSelector: { gpu: 'yes' } }),
      { ...waiting('web-6', 'data-1'), status: { phase: 'Failed' } },
    ],
    nodes: [nodeObject('node-b', at('b'))],
  });
  expect(unplaceable.map(({ pod }) => pod)).toEqual(['default/web-1', 'default/web-9']);
});

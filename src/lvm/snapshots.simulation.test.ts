/** What becomes of a snapshot in a thin pool when the volume is gone that it is of. */
import { expect, it } from 'vitest';
import type { OptionKey } from './contract.ts';
import { SimulatedNode } from './simulated-node.ts';

const [VOLUME, SNAPSHOT] = ['data', 'monday'];

async function withSnapshot(options: Partial<Record<OptionKey, string>>): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  node.declare(VOLUME, { options: { ...options, thinPool: 'pool', thinPoolSize: '80Mi' } });
  await node.rest();
  node.write(VOLUME);
  node.declare(SNAPSHOT, { options: { snapshotOf: VOLUME } });
  await node.rest();
  expect(node.says(SNAPSHOT, 'status')).toBe('Processed');
  return node;
}

it.each([{ removePolicy: 'trash' }, { removePolicy: 'delete' }])('it stays, after %o', async (options) => {
  const node = await withSnapshot(options);
  node.delete(VOLUME);
  await node.rest();
  expect(node.cluster.volume(VOLUME)).toBeUndefined();
  node.reboot();
  await node.rest();
  expect([node.says(SNAPSHOT, 'message'), node.says(SNAPSHOT, 'status')]).toEqual([undefined, 'Processed']);
  expect(node.contentOf(SNAPSHOT)?.data).toBe('data 1');
});

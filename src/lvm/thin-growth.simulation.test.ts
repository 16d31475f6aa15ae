/** Volumes of a thin pool that grow: the pool must not be promised more often than people allow, however many come at once. */
import { expect, it } from 'vitest';
import { SimulatedNode } from './simulated-node.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const POOL = { thinPool: 'pool', thinPoolSize: '32Mi' };

const promised = (node: SimulatedNode): bigint => NAMES.reduce((sum, name) => sum + (node.lv(name)?.extents ?? 0n), 0n);

it('one that would grow beyond what its pool may promise stays as it is, and says why', async () => {
  const node = new SimulatedNode();
  node.declare('a', { options: POOL });
  await node.rest();
  node.grow('a', 8_000n);
  await node.rest();
  expect(node.lv('a')?.extents).toBe(8n);
  expect(node.says('a', 'status')).toBe('Not-Processed-Errors');
  expect(node.says('a', 'message')).toContain('poolIsPromised');
  node.grow('a', 80n);
  await node.rest();
  expect([node.lv('a')?.extents, node.says('a', 'status')]).toEqual([80n, 'Processed']);
});

it('several that grow at the same moment grow as long as there is room', async () => {
  const node = new SimulatedNode();
  for (const name of NAMES) node.declare(name, { options: POOL });
  await node.rest();
  for (const name of NAMES) node.grow(name, 30n);
  await node.rest();
  expect(promised(node)).toBe(30n + 30n + 8n + 8n);
  expect(NAMES.filter((name) => node.says(name, 'message')?.includes('poolIsPromised'))).toHaveLength(2);
  expect(node.violations).toEqual([]);
});

/** A thin pool that fills up: nothing new goes into it, and what is there stays. */
import { expect, it } from 'vitest';
import { SimulatedNode } from './simulated-node.ts';
import { EXTENT } from './simulated-volumes.ts';

const POOL = { thinPool: 'pool', thinPoolSize: '32Mi' };
const POOL_EXTENTS = 8;

it('a volume is refused while its pool is full, and made when there is room again', async () => {
  const node = new SimulatedNode();
  node.declare('a', { options: POOL });
  await node.rest();
  const content = node.contentOf('a');
  if (!content) expect.unreachable('the first volume was not made');
  content.data = 'x'.repeat(0.92 * POOL_EXTENTS * Number(EXTENT));
  node.declare('b', { options: POOL });
  await node.rest();
  expect(node.lv('b')).toBeUndefined();
  expect(node.says('b', 'status')).toBe('Not-Processed-Errors');
  expect(node.says('b', 'message')).toContain('poolIsFull');
  expect([node.says('a', 'status'), node.contentOf('a')]).toEqual(['Processed', content]);
  content.data = 'little';
  await node.rest();
  expect(node.says('b', 'status')).toBe('Processed');
  expect(node.violations).toEqual([]);
});

it('what is only promised fills no pool', async () => {
  const node = new SimulatedNode();
  for (const name of ['a', 'b', 'c', 'd']) node.declare(name, { size: 12n, options: POOL });
  await node.rest();
  for (const name of ['a', 'b', 'c', 'd']) expect(node.says(name, 'status')).toBe('Processed');
});

/** A person puts a faster disk before logical volumes of ours, as lvmcache(7) tells: from then on LVM reports them in another way. */
import { expect, it } from 'vitest';
import { SimulatedNode } from './simulated-node.ts';

async function cachedVolume(options: Readonly<Record<string, string>> = {}): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  node.declare('data', { options });
  await node.rest();
  node.write('data');
  const lv = node.lv('data');
  if (lv) lv.isCached = true;
  return node;
}

it('such a volume is looked after as before, and so are all others', async () => {
  const node = await cachedVolume();
  node.declare('neighbour');
  node.grow('data', 12n);
  await node.rest();
  expect(node.says('neighbour', 'status')).toBe('Processed');
  expect([node.says('data', 'status'), node.lv('data')?.extents]).toEqual(['Processed', 12n]);
  node.kill();
  node.reboot();
  await node.rest();
  expect(node.contentOf('data')).toBeDefined();
  node.delete('data');
  await node.rest();
  expect([node.lv('data'), node.cluster.volume('data')]).toEqual([undefined, undefined]);
  expect(node.violations).toEqual([]);
});

it.each([{ shred: 'zero' }, { shred: 'discard', cryptSecret: 'key' }])(
  'such a volume is not shredded, since what it held may stay below the cache, until the cache is off: %j',
  async (options) => {
    const node = await cachedVolume(options);
    node.delete('data');
    await node.rest();
    expect(node.says('data', 'message')).toContain('cacheKeepsBytes');
    const lv = node.lv('data') ?? expect.unreachable('it is gone');
    expect(lv.tags).not.toContain('holdfast.dev/shredded=begun');
    lv.isCached = false;
    await node.rest();
    expect([node.lv('data'), node.cluster.volume('data')]).toEqual([undefined, undefined]);
    expect(node.violations).toEqual([]);
  },
);

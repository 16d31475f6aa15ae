/** Units of the node that are none of ours: people mask and link them, about all the time. */
import { beforeEach, expect, it } from 'vitest';
import { UNITS } from './mount-units.ts';
import { SimulatedNode } from './simulated-node.ts';

const VOLUME = 'data';
const ITS_UNIT = `${UNITS}/mnt-pv-data.mount`;

let node: SimulatedNode;
beforeEach(() => {
  node = new SimulatedNode({ hasSystemd: true });
  node.machine.tree.addDevice('/dev/null', '1:3', 'character-device');
});

const mask = (unit: string): void => node.machine.tree.symlink('/dev/null', unit);

it('one that is masked keeps no volume from being made and removed', async () => {
  mask(`${UNITS}/tmp.mount`);
  node.declare(VOLUME);
  await node.rest();
  expect(node.says(VOLUME, 'status')).toBe('Processed');
  node.delete(VOLUME);
  await node.rest();
  expect(node.cluster.volume(VOLUME)).toBeUndefined();
  expect(node.leaks).toEqual([]);
});

it.each([
  ['masked', '/dev/null'],
  ['linked', '/opt/data.mount'],
])('one for the path of a volume that is %s is left alone, and told', async (_, target) => {
  node.machine.tree.symlink(target, ITS_UNIT);
  node.declare(VOLUME);
  await node.rest();
  expect(node.says(VOLUME, 'message')).toContain('unitIsForeign');
  expect(node.machine.tree.readlink(ITS_UNIT)).toBe(target);
  node.delete(VOLUME);
  await node.rest();
  expect(node.cluster.volume(VOLUME)).toBeUndefined();
  expect(node.machine.tree.readlink(ITS_UNIT)).toBe(target);
});

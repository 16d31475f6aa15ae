/** Somebody has files in the directory that a volume is mounted at. */
import { expect, it } from 'vitest';
import { pathOf, SimulatedNode } from './simulated-node.ts';

const VOLUME = 'data';
const FILE = `${pathOf(VOLUME)}/notes.txt`;

function putFile({ machine }: SimulatedNode): void {
  machine.tree.mkdir(pathOf(VOLUME));
  machine.tree.write(FILE, Buffer.from('needed'));
}

it('a new volume does not hide them, says so, and is mounted when they are gone', async () => {
  const node = new SimulatedNode();
  putFile(node);
  node.declare(VOLUME);
  await node.rest();
  expect(node.contentOf(VOLUME)).toBeUndefined();
  expect(node.says(VOLUME, 'message')).toContain('mountPointIsNotEmpty');
  expect(node.fileSystems.immutable.has(pathOf(VOLUME))).toBe(false);
  node.machine.tree.remove(FILE);
  await node.rest();
  expect(node.contentOf(VOLUME)).toBeDefined();
});

it('a volume that was ready before is mounted all the same, and they stay when it is deleted', async () => {
  const node = new SimulatedNode();
  node.declare(VOLUME);
  await node.rest();
  node.kill();
  node.reboot();
  putFile(node);
  await node.rest();
  expect(node.contentOf(VOLUME)).toBeDefined();
  node.delete(VOLUME);
  await node.rest();
  expect(node.cluster.volume(VOLUME)).toBeUndefined();
  expect(node.lv(VOLUME)).toBeUndefined();
  expect(node.machine.tree.list(pathOf(VOLUME))).toEqual(['notes.txt']);
  expect(node.fileSystems.immutable.has(pathOf(VOLUME))).toBe(true);
});

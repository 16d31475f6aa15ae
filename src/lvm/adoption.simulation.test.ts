/** A volume that the original has made, and mounted in its own way. */
import { expect, it } from 'vitest';
import { annotation, type OptionKey } from './contract.ts';
import { pathOf, SimulatedNode } from './simulated-node.ts';

const VOLUME = 'data';

async function adopted(options: Partial<Record<OptionKey, string>>): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  node.makeForeign(VOLUME);
  const mapped = node.lv(VOLUME)?.mapped;
  if (!mapped) throw new Error('it is not there');
  node.machine.tree.mkdir(pathOf(VOLUME));
  node.machine.mount({ device: mapped.number, mountPoint: pathOf(VOLUME), options: ['rw', 'noexec'] });
  node.declare(VOLUME, { size: 1n, options });
  node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation('status')]: 'Processed' } },
  }));
  await node.rest();
  return node;
}

it('is mounted as its volume asks for when it is adopted, which the original did not care for later', async () => {
  const node = await adopted({ mountOpts: 'noexec,nodev' });
  expect([node.says(VOLUME, 'status'), node.says(VOLUME, 'mountOpts')]).toEqual(['Processed', 'noexec,nodev']);
  expect(node.machine.mounts.at(-1)?.options).toContain('nodev');
});

it('is not touched when it is mounted so', async () => {
  const node = await adopted({});
  expect(node.says(VOLUME, 'status')).toBe('Processed');
  expect(node.commandsSince(0).filter(([program]) => program === 'mount')).toEqual([]);
});

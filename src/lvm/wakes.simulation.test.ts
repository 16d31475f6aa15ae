/** What others do to a volume that is ready, and how soon that is seen: long before every volume is looked at again anyway. */
import { expect, it } from 'vitest';
import { FINALIZER } from './contract.ts';
import { SimulatedNode } from './simulated-node.ts';

const VOLUME = 'data';
/** Far less than from one look at all volumes to the next. */
const SOON_MS = 5_000;

async function ready(options: Parameters<SimulatedNode['declare']>[1] = {}): Promise<SimulatedNode> {
  const node = new SimulatedNode({ autoRelease: true });
  node.declare(VOLUME, options);
  await node.rest();
  expect(node.says(VOLUME, 'status')).toBe('Processed');
  return node;
}

const looks = (node: SimulatedNode): number =>
  node.commandsSince(0).filter((argv) => argv.includes('fullreport')).length;

it.each(['true', 'false'])(
  'one whose claim is gone can be claimed again if it asks for it: %s',
  async (autoRelease) => {
    const node = await ready({ options: { autoRelease } });
    node.cluster.bind(VOLUME, 'claim');
    await node.pass(SOON_MS);
    node.write(VOLUME);
    node.cluster.release(VOLUME);
    await node.pass(SOON_MS);
    expect(node.cluster.volume(VOLUME)?.spec?.claimRef === undefined).toBe(autoRelease === 'true');
    expect(node.violations).toEqual([]);
  },
);

it('one whose claim is gone can be claimed again although there is no room for it to grow', async () => {
  const node = await ready({ options: { autoRelease: 'true' } });
  node.cluster.bind(VOLUME, 'claim');
  node.grow(VOLUME, 100n);
  await node.pass(SOON_MS);
  expect(node.says(VOLUME, 'message')).toContain('groupIsFull');
  node.cluster.release(VOLUME);
  await node.pass(SOON_MS);
  expect(node.cluster.volume(VOLUME)?.spec?.claimRef).toBeUndefined();
});

it('one that Kubernetes may delete is retained again', async () => {
  const node = await ready();
  node.cluster.change(VOLUME, ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, persistentVolumeReclaimPolicy: 'Delete' },
  }));
  await node.pass(SOON_MS);
  expect(node.cluster.volume(VOLUME)?.spec?.persistentVolumeReclaimPolicy).toBe('Retain');
});

it('one that our finalizer was taken from is held again', async () => {
  const node = await ready();
  node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, finalizers: [] } }));
  await node.pass(SOON_MS);
  expect(node.cluster.volume(VOLUME)?.metadata.finalizers).toEqual([FINALIZER]);
});

it('what we write ourselves makes nobody look: one is looked at before each step, after it was made, and at the end', async () => {
  const node = await ready();
  expect(looks(node)).toBe(3 + 1 + 1);
  expect(node.apiWrites).toHaveLength(2);
});

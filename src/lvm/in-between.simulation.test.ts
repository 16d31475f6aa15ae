/** Somebody writes to new logical volumes after they were made, or seen to hold nothing, and before a filesystem is made. */
import { expect, it } from 'vitest';
import type { Operation } from '../kit/host/simulated/operation.ts';
import type { Content } from './simulated-devices.ts';
import { SimulatedNode } from './simulated-node.ts';

/** Does something once, just before the first call of this kind. */
function justBefore(node: SimulatedNode, which: (operation: Operation) => boolean, act: () => void): void {
  let isOver = false;
  node.machine.faults.when(
    (operation) => {
      if (!isOver && which(operation)) {
        isOver = true;
        act();
      }
      return false;
    },
    { kind: 'fail' },
  );
}

const isRun = (name: string) => (operation: Operation) => operation.argv?.includes(name) ?? false;

function contentOf(node: SimulatedNode, name: string): Content {
  const content = node.lv(name)?.content;
  if (!content) throw new Error(`there is no ${name}`);
  return content;
}

function swapOn(node: SimulatedNode, name: string): void {
  const content = contentOf(node, name);
  content.become('swap', true);
  content.data = `of ${name}`;
  node.lvm.devices.show(content);
}

it('what comes on volumes while filesystems are made on others is seen and left alone', async () => {
  const node = new SimulatedNode();
  const names = Array.from({ length: 40 }, (_, index) => `volume-${index}`);
  for (const name of names) node.declare(name, { size: 1n });
  const written: string[] = [];
  justBefore(node, isRun('mkfs.ext4'), () => {
    const others = names.filter((name) => node.lv(name)?.content.signature === undefined).slice(-8);
    for (const name of others) swapOn(node, name);
    written.push(...others);
  });
  await node.rest();
  expect(written).toHaveLength(8);
  expect(node.violations).toEqual([]);
  for (const name of names) {
    const isWritten = written.includes(name);
    expect(node.says(name, 'status')).toBe(isWritten ? 'Not-Processed-Errors' : 'Processed');
    if (isWritten) expect(node.says(name, 'message')).toContain('signatureIsForeign');
  }
});

it('what comes on a volume while its key is read is seen and left alone', async () => {
  const node = new SimulatedNode();
  node.declare('data', { options: { cryptSecret: 'key' } });
  const isLookedAt = () => node.lv('data')?.tags.has('holdfast.dev/state=new') ?? false;
  const readsKey = ({ target, argv }: Operation) => target === 'api' && (argv?.[1]?.includes('/secrets/key') ?? false);
  justBefore(
    node,
    (operation) => isLookedAt() && readsKey(operation),
    () => swapOn(node, 'data'),
  );
  await node.rest();
  expect(node.violations).toEqual([]);
  expect(node.says('data', 'message')).toContain('there is swap on storage_bulk/data');
});

it.each(['ext4', 'xfs', 'btrfs'])('a damaged %s that somebody has used meanwhile is left alone', async (fsType) => {
  const node = new SimulatedNode();
  node.declare('data', { options: { fsType } });
  justBefore(node, isRun(`mkfs.${fsType}`), () => {
    const content = contentOf(node, 'data');
    content.become(fsType, false);
    content.wasMounted = true;
    content.data = 'of somebody';
    node.lvm.devices.show(content);
    node.kill();
  });
  await node.rest();
  expect(node.violations).toEqual([]);
  expect(node.says('data', 'message')).toContain(`there is a damaged ${fsType} on storage_bulk/data`);
});

it.each(['lvcreate', 'mkfs.ext4', 'mount'])(
  'of a volume that is deleted by force and declared anew before %s, no more is made than that',
  async (program) => {
    const node = new SimulatedNode();
    node.declare('data');
    let uid: string | undefined;
    justBefore(node, isRun(program), () => {
      uid = node.cluster.volume('data')?.metadata.uid;
      node.vanish('data');
      node.declare('data');
    });
    const calls = node.machine.calls.length;
    await node.rest();
    expect(uid, 'it came to that').toBeDefined();
    expect(node.violations).toEqual([]);
    expect(node.cluster.volume('data')?.metadata.uid).not.toBe(uid);
    expect(node.says('data', 'status')).toBe('Not-Processed-Errors');
    const mounts = node.commandsSince(calls).filter((argv) => argv.includes('mount'));
    expect(mounts).toHaveLength(program === 'mount' ? 1 : 0);
  },
);

const setDefaults = ({ cluster }: SimulatedNode, data: Readonly<Record<string, string>>): void => {
  const metadata = { name: 'holdfast-lvm-defaults', namespace: 'holdfast' };
  const configMap: { metadata: object; data: object } = { metadata, data };
  cluster.put('configmaps', configMap);
};

it.each([
  ['thinPool appears', {}, { thinPool: 'pool', thinPoolSize: '64Mi' }],
  ['cryptSecret appears', {}, { cryptSecret: 'key' }],
  ['cryptSecret changes', { cryptSecret: 'key' }, { cryptSecret: 'holdfast/other' }],
  ['cryptSecret goes', { cryptSecret: 'key' }, {}],
  ['thinPool goes', { thinPool: 'pool', thinPoolSize: '64Mi' }, {}],
] as const)(
  'a volume whose logical volume was made before a default %s is made on as it was begun',
  async (_, before, after) => {
    const made = async (whenMade: (node: SimulatedNode) => void) => {
      const node = new SimulatedNode();
      setDefaults(node, before);
      node.declare('data');
      justBefore(node, isRun('mkfs.ext4'), () => whenMade(node));
      await node.rest();
      expect([node.says('data', 'status'), node.says('data', 'message')]).toEqual(['Processed', undefined]);
      return node;
    };
    const undisturbed = await made(() => {});
    const disturbed = await made((node) => {
      setDefaults(node, after);
      node.kill({ withPrograms: true });
    });
    const inForce = (node: SimulatedNode) => ['thinPool', 'cryptSecret'].map((key) => node.says('data', key));
    expect(inForce(disturbed)).toEqual(inForce(undisturbed));
    expect(disturbed.lv('data')?.kind).toBe(undisturbed.lv('data')?.kind);
    expect(disturbed.contentOf('data')?.formatted).toBe(1);
    expect(disturbed.violations).toEqual([]);
  },
);

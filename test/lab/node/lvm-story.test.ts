/** The whole lvm agent on a real node: a declared volume becomes a logical volume, is claimed and used, and leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawObject } from '../../harness/raw-client.ts';
import { LvmNode, MIB, PREFIX } from './lvm-node.ts';

const CORE = '/api/v1/namespaces/default';
const CLASS = 'k8s-local-pv';

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  await node.agent('--release');
  await takesPods();
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('a declared volume is made, formatted and mounted, and everything of it goes when it is deleted', async () => {
  const { guest } = node;
  await node.declare('data');
  const made = await node.says('data', 'status', 'Processed');
  expect(made.metadata.finalizers).toContain('holdfast.dev/lvm');
  expect(made).toMatchObject({ spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  expect(await guest.output('findmnt', '--noheadings', '--output', 'SOURCE,FSTYPE', '/mnt/pv/data')).toMatch(
    /^\/dev\/mapper\/storage_bulk-data +ext4$/,
  );
  expect(await guest.output('lvs', '--noheadings', '--options', 'lv_size', '--units', 'm')).toBe('64.00m');
  await guest.write('/mnt/pv/data/file', 'somebody needs this');

  await node.delete('data');
  await node.isGone('data');
  expect(await node.lvs()).toEqual([]);
  expect((await guest.run(['ls', '/mnt/pv'])).stdout).toBe('');
});

it('volumes that are asked for while others are made are made together, each whole and for itself', async () => {
  const { guest } = node;
  const names = Array.from({ length: 8 }, (_, index) => `together-${index}`);
  await guest.output('lvcreate', '--yes', '--name', 'old', '--extents', '100%FREE', 'storage_bulk');
  await guest.output('sh', '-c', 'yes "old data" | dd of=/dev/storage_bulk/old bs=1M iflag=fullblock 2>&1; sync');
  await guest.output('lvremove', '--yes', 'storage_bulk/old');
  const before = await commandsRun('lvcreate');
  const lock = guest.start(['sh', '-c', 'exec 9>>/run/lock/lvm/V_storage_bulk; flock 9; echo held; exec sleep 1000']);
  await node.eventually('the lock to be held', async () => expect(lock.lines).toContain('held'));
  for (const name of names) await node.declare(name, { storage: '16Mi' });
  await node.eventually('the agent to wait', async () => {
    await guest.output('pgrep', '--full', 'lvm fullreport');
  });
  lock.kill('SIGTERM');
  await lock.ended();
  for (const name of names) await node.says(name, 'status', 'Processed');
  expect((await commandsRun('lvcreate')) - before).toBeLessThan(names.length - 2);
  expect(await commandsRun('xargs')).toBeGreaterThan(0);
  expect(await commandsRun('wipefs')).toBeGreaterThan(0);
  for (const name of names) await guest.write(`/mnt/pv/${name}/file`, name);
  for (const name of names) expect((await guest.read(`/mnt/pv/${name}/file`)).toString()).toBe(name);
  expect(await node.lvs()).toEqual(names.map((name) => `storage_bulk/${name}`));
  const tags = await guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk');
  expect(tags.match(/holdfast\.dev\/state=ready/g)).toHaveLength(names.length);
  expect(tags).not.toContain('attempt');
  for (const name of names) await node.delete(name);
  for (const name of names) await node.isGone(name);
  expect(await node.lvs()).toEqual([]);
});

async function commandsRun(program: string): Promise<number> {
  const found = new RegExp(`^holdfast_lvm_commands_total\\{program="${program}",.*\\} (\\d+)$`, 'm').exec(
    await node.metrics(),
  );
  return Number(found?.[1] ?? 0);
}

describe("the original's own tests", () => {
  it('a volume with errors is told all that is wrong with it, nothing is made, and it is made when it is corrected', async () => {
    await node.declare('faulty', { storage: '16Mi', annotations: { fsType: 'ntfs', vg: '../../etc' } });
    const faulty = await node.says('faulty', 'status', 'Not-Processed-Errors');
    const message = faulty.metadata.annotations?.[`${PREFIX}message`] ?? '';
    expect(message).toMatch(/fsType cannot be "ntfs"/);
    expect(message).toMatch(/vg cannot be/);
    expect(await node.isTold('PersistentVolume', 'faulty', 'VolumeIsWrittenWrongly')).toContain('fsType');
    expect(faulty.metadata.finalizers).not.toContain('holdfast.dev/lvm');
    expect(await node.lvs()).toEqual([]);

    await node.annotate('faulty', { fsType: null, vg: null });
    const made = await node.says('faulty', 'status', 'Processed');
    expect(made.metadata.annotations).not.toHaveProperty([`${PREFIX}message`]);
    await node.delete('faulty');
    await node.isGone('faulty');
  });

  it('a volume that is not where volumes belong is not made', async () => {
    await node.declare('misplaced', { path: '/etc' });
    await node.says('misplaced', 'message', 'spec.local.path cannot be "/etc"');
    await node.says('misplaced', 'status', 'Not-Processed-Errors');
    expect(await node.lvs()).toEqual([]);
    await node.delete('misplaced');
    await node.isGone('misplaced');
  });

  it('a volume in a pod: its claim is bound, the pod comes to its node, and what it writes is on the volume', async () => {
    await node.declare('for-a-pod', { storage: '16Mi' });
    await node.says('for-a-pod', 'status', 'Processed');
    await claim('wanted', '16Mi');
    await runs('pod', [{ claim: 'wanted', at: '/data' }]);
    expect(await nodeOf('pod')).toBe(node.name);
    const { spec } = await node.plane.admin.get<Claim>(`${CORE}/persistentvolumeclaims/wanted`);
    expect(spec.volumeName).toBe('for-a-pod');
    expect(await writtenThrough('for-a-pod', 'by a pod')).toBe('by a pod');

    await ends('pod', 'wanted');
    await node.delete('for-a-pod');
    await node.isGone('for-a-pod');
  });

  it('a StatefulSet with claims: each replica has a volume of its own', async () => {
    await Promise.all(['set-a', 'set-b'].map((name) => node.declare(name, { storage: '16Mi' })));
    await Promise.all(['set-a', 'set-b'].map((name) => node.says(name, 'status', 'Processed')));
    const labels = { app: 'set' };
    await node.plane.admin.post('/apis/apps/v1/namespaces/default/statefulsets', {
      metadata: { name: 'set' },
      spec: {
        replicas: 2,
        serviceName: 'set',
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [container([{ name: 'data', mountPath: '/data' }])], tolerations: TOLERATIONS },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec('16Mi') }],
      },
    });
    expect([await nodeOf('set-0'), await nodeOf('set-1')]).toEqual([node.name, node.name]);
    const bound = ['data-set-0', 'data-set-1'].map((name) =>
      node.plane.admin.get<Claim>(`${CORE}/persistentvolumeclaims/${name}`),
    );
    const volumes = (await Promise.all(bound)).map(({ spec }) => spec.volumeName);
    expect(volumes.toSorted()).toEqual(['set-a', 'set-b']);
    for (const volume of ['set-a', 'set-b']) expect(await writtenThrough(volume, volume)).toBe(volume);
    expect(await writtenThrough('set-a')).toBe('set-a');
  });
});

it('a volume whose claim is gone can be claimed again with what is on it, if it says so', async () => {
  await node.declare('again', { storage: '16Mi', annotations: { autoRelease: 'true' } });
  await node.declare('once', { storage: '20Mi' });
  await Promise.all(['again', 'once'].map((name) => node.says(name, 'status', 'Processed')));
  await claim('first', '16Mi', 'again');
  await claim('other', '20Mi', 'once');
  await Promise.all(['again', 'once'].map((name) => isInPhase(name, 'Bound')));
  await writtenThrough('again', 'of the first');

  await node.plane.admin.delete(`${CORE}/persistentvolumeclaims/other`);
  await isInPhase('once', 'Released');
  await node.plane.admin.delete(`${CORE}/persistentvolumeclaims/first`);
  await isInPhase('again', 'Available');
  expect(await node.isTold('PersistentVolume', 'again', 'VolumeReleased')).toContain('default/first');

  await claim('second', '16Mi', 'again');
  await isInPhase('again', 'Bound');
  expect(await writtenThrough('again')).toBe('of the first');
  await isInPhase('once', 'Released');
});

it('what the ConfigMap of defaults says holds for volumes that come after it, and not for those before', async () => {
  const maps = '/api/v1/namespaces/holdfast/configmaps';
  await node.declare('before', { storage: '8Mi' });
  await node.says('before', 'status', 'Processed');
  await node.plane.admin.post(maps, {
    metadata: { name: 'holdfast-lvm-defaults' },
    data: { mountOpts: 'noatime,nodev', fsType: 'ext3' },
  });
  await node.eventually('the defaults to be read', async () => {
    await node.declare('after', { storage: '16Mi' });
    const { metadata } = await node.says('after', 'status', 'Processed');
    if (metadata.annotations?.[`${PREFIX}fsType`] === 'ext3') return;
    await node.delete('after');
    await node.isGone('after');
    throw new Error('it was made with the old defaults');
  });
  expect(await mountOf('after')).toMatch(/^ext3 +rw,nodev,noatime/);
  await node.declare('own-words', { storage: '8Mi', annotations: { fsType: 'ext2' } });
  await node.says('own-words', 'status', 'Processed');
  expect(await mountOf('own-words')).toMatch(/^ext2 +rw,nodev,noatime/);

  await node.plane.admin.patch(`${maps}/holdfast-lvm-defaults`, { data: { fsType: 'ntfs' } });
  await node.declare('misled', { storage: '8Mi' });
  await node.says('misled', 'message', 'of the ConfigMap holdfast-lvm-defaults cannot be "ntfs"');
  await node.plane.admin.delete(`${maps}/holdfast-lvm-defaults`);
  await node.says('misled', 'status', 'Processed');
  expect(await mountOf('misled')).toMatch(/^ext4 +rw,noexec/);
  expect(await mountOf('before')).toMatch(/^ext4 +rw,noexec/);
  for (const name of ['before', 'after', 'own-words']) await node.says(name, 'status', 'Processed');
});

interface Claim extends RawObject {
  readonly spec: { readonly volumeName?: string };
}

interface Pod extends RawObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: object;
}

/** There is no kubelet, and so nobody says of the node that it is ready. */
const TOLERATIONS = [{ operator: 'Exists' }];

const claimSpec = (storage: string, volumeName?: string) => ({
  accessModes: ['ReadWriteOnce'],
  storageClassName: CLASS,
  resources: { requests: { storage } },
  ...(volumeName && { volumeName }),
});

const container = (volumeMounts: readonly object[]) => ({ name: 'main', image: 'none', volumeMounts });

async function claim(name: string, storage: string, volume?: string): Promise<void> {
  await node.plane.admin.post(`${CORE}/persistentvolumeclaims`, {
    metadata: { name },
    spec: claimSpec(storage, volume),
  });
}

async function runs(name: string, mounts: readonly { readonly claim: string; readonly at: string }[]): Promise<void> {
  await node.plane.admin.post(`${CORE}/pods`, {
    metadata: { name },
    spec: {
      tolerations: TOLERATIONS,
      containers: [container(mounts.map(({ claim: of, at }) => ({ name: of, mountPath: at })))],
      volumes: mounts.map(({ claim: of }) => ({ name: of, persistentVolumeClaim: { claimName: of } })),
    },
  });
}

/** What a kubelet would say of its node. */
async function takesPods(): Promise<void> {
  const capacity = { pods: '10', cpu: '4', memory: '4Gi' };
  const status = { capacity, allocatable: capacity };
  await node.plane.admin.patch(`/api/v1/nodes/${node.name}/status`, { status });
}

async function nodeOf(pod: string): Promise<string> {
  return await node.eventually(`a node for ${pod}`, async () => {
    const { spec, status } = await node.plane.admin.get<Pod>(`${CORE}/pods/${pod}`);
    if (spec.nodeName === undefined) throw new Error(JSON.stringify(status));
    return spec.nodeName;
  });
}

async function ends(pod: string, ofClaim: string): Promise<void> {
  await node.plane.admin.delete(`${CORE}/pods/${pod}`, { gracePeriodSeconds: 0 });
  await node.plane.admin.delete(`${CORE}/persistentvolumeclaims/${ofClaim}`);
}

async function isInPhase(name: string, phase: string): Promise<void> {
  await node.eventually(`${name} to be ${phase}`, async () => {
    const { status } = await node.volume(name);
    if (status?.phase !== phase) throw new Error(`it is ${status?.phase}`);
  });
}

/** As what runs in a pod would do it, and reads what is there. */
async function writtenThrough(name: string, text?: string): Promise<string> {
  const file = `/mnt/pv/${name}/file`;
  if (text !== undefined) await node.guest.write(file, text);
  return (await node.guest.read(file)).toString();
}

const mountOf = (name: string): Promise<string> =>
  node.guest.output('findmnt', '--noheadings', '--output', 'FSTYPE,OPTIONS', `/mnt/pv/${name}`);

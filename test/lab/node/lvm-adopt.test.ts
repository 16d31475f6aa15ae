/** Volumes that were there before the cluster, or before the agent: they are taken over with all that is on them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { NAMESPACE } from '../../integration/agents.ts';
import { LvmNode, MIB } from './lvm-node.ts';
import type { Program } from './program.ts';

const FLAGS = [`--secret-namespaces=${NAMESPACE}`];

let node: LvmNode;
let agent: Program;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  await aKey();
  agent = await node.agent(...FLAGS);
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

async function aKey(): Promise<void> {
  const key = Buffer.from('a key that nobody guesses').toString('base64');
  await node.plane.admin.post(`/api/v1/namespaces/${NAMESPACE}/secrets`, { metadata: { name: 'key' }, data: { key } });
}

async function agentEnds(): Promise<void> {
  agent.kill('SIGTERM');
  await agent.ended();
}

const fileOf = (name: string): string => `/mnt/pv/${name}/file`;
const read = async (name: string) => (await node.guest.read(fileOf(name))).toString();

describe('a new cluster', () => {
  const volumes = {
    plain: { mountOpts: 'noexec,noatime', shred: 'zero' },
    sealed: { cryptSecret: 'key' },
    thin: { thinPool: 'pool', thinPoolSize: '64Mi', removePolicy: 'trash' },
  };
  const names = Object.keys(volumes);

  it('gets all volumes of a node with what is on them, while they are mounted', async () => {
    for (const [name, annotations] of Object.entries(volumes))
      await node.declare(name, { storage: '32Mi', annotations });
    for (const name of names) await node.says(name, 'status', 'Processed');
    for (const name of names) await node.guest.write(fileOf(name), `data of ${name}`);
    await agentEnds();
    await node.joinNewCluster();
    await aKey();

    const manifests = await node.command('adopt');
    for (const document of parseAllDocuments(manifests)) await node.apply(document.toJS());
    agent = await node.agent(...FLAGS);
    for (const name of names) await node.says(name, 'status', 'Processed');
    for (const name of names) expect(await read(name)).toBe(`data of ${name}`);
    expect(await node.volume('plain')).toMatchObject({
      metadata: {
        annotations: { 'local-pv.k8s.portavita.net/shred': 'zero' },
        finalizers: expect.arrayContaining(['holdfast.dev/lvm']),
      },
    });
    expect(await node.command('adopt'), 'nothing is left to be taken over').toBe('');
  });

  it('gets them after a boot, too, from what is printed without a cluster', async () => {
    const manifests = await node.command('adopt', '--offline', '--node-id=node7');
    await agentEnds();
    await node.joinNewCluster();
    await aKey();
    await node.guest.reboot();
    for (const document of parseAllDocuments(manifests)) await node.apply(document.toJS());
    agent = await node.agent(...FLAGS);
    for (const name of names) await node.says(name, 'status', 'Processed');
    for (const name of names) expect(await read(name)).toBe(`data of ${name}`);
  });

  it('can remove them as its own', async () => {
    for (const name of names) await node.delete(name);
    for (const name of names) await node.isGone(name);
    expect((await node.lvs()).filter((name) => !name.includes('/trash+'))).toEqual(['storage_bulk/pool']);
  });
});

describe('a volume of the original', () => {
  it('is adopted with what is on it when it is mounted, and refused when nothing says whose it is', async () => {
    for (const name of ['old', 'unknown']) {
      await node.guest.output(
        'lvcreate',
        '--yes',
        '-W',
        'y',
        '-Z',
        'y',
        '--size',
        '32m',
        '--name',
        name,
        'storage_bulk',
      );
      await node.guest.output('mkfs.ext4', '-q', `/dev/storage_bulk/${name}`);
    }
    await node.guest.output('mkdir', '-p', '/mnt/pv/old');
    await node.guest.output('mount', '-o', 'noexec', '/dev/storage_bulk/old', '/mnt/pv/old');
    await node.guest.write(fileOf('old'), 'of the original');
    const annotations = { status: 'Processed', mountPoint: '/mnt/pv/old', fsType: 'ext4', vg: 'storage_bulk' };
    await node.declare('old', { storage: '32Mi', annotations });
    await node.declare('unknown', { storage: '32Mi', annotations: { ...annotations, mountPoint: '/mnt/pv/unknown' } });

    await node.eventually('it to be marked', async () =>
      expect(await node.guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk/old')).toContain(
        'holdfast.dev/state=ready',
      ),
    );
    expect(await read('old')).toBe('of the original');
    await node.says('unknown', 'message', 'made by somebody else');
    expect(await node.guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk/unknown')).toBe('');
    await node.delete('old');
    await node.isGone('old');
    expect(await node.lvs()).not.toContain('storage_bulk/old');
  });
});

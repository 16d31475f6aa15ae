import { describe, expect, it, test } from 'vitest';
import { group, lv, mount, owner } from '../../lvm/builders.ts';
import type { LogicalVolume } from '../../lvm/facts.ts';
import { type Claimant, orphanInWords } from '../../lvm/orphans.ts';
import { tagsOf } from '../../lvm/tags.ts';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { choiceOf, isLeftAsItWas } from './clean.ts';
import { isHome } from './forget.ts';
import { encrypted } from './header-backup.ts';
import { leftIn } from './left-here.ts';
import { define } from './lvm.ts';
import { chosen } from './restore.ts';

/** The commands that people type about lvm, without a cluster to talk to. */
async function run(...args: readonly string[]) {
  const terminal = aTerminal({ KUBECONFIG: '/nowhere/kubeconfig' });
  const lvm = { group: 'run', name: 'lvm', summary: 'runs', load: async () => ({ define }) } as const;
  const exitCode = await runCommandLine(
    { commands: [lvm], examples: { x: '' } },
    invokedAs('holdfast'),
    args,
    terminal,
  );
  return { exitCode, ...terminal.written };
}

test.each([
  [['forget'], "missing required argument 'volume'"],
  [['forget', '../secrets'], 'no volume can have that name: '],
  [['forget', 'a', 'b'], 'too many arguments'],
  [['forget', 'a', '--yes=maybe'], '--yes cannot be "maybe"'],
  [['restore', '--node-name=a'], "missing required argument 'volume'"],
  [['restore', 'data'], '--node-name'],
  [['header-backup', 'data'], "missing required argument 'file'"],
  [['header-backup', 'data', 'here'], 'has to be an absolute path'],
  [['clean'], '--node-name'],
  [['adopt'], '--node-name'],
  [['adopt', '--node-name=a', '--offline', '--mount-base=here'], '--mount-base has to be an absolute path'],
  [['clean', '--node-name=a', '--mount-namespace=other'], '--mount-namespace cannot be "other"'],
  [['--node-name=a', '--mount-base=here'], '--mount-base has to be an absolute path'],
  [['--node-name=a', '--trash-ttl=0s'], '--trash-ttl cannot be "0s"'],
])('%j is a slip of the fingers: 2, and one line that says which', async (args, complaint) => {
  const { exitCode, out, err } = await run('lvm', ...args);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  expect(err).toContain(complaint);
});

test.each([
  ['restore', 'this has to run there'],
  ['adopt', 'Nothing is formatted'],
  ['header-backup', 'destroy the old one'],
  ['clean', 'EVERYTHING ON THEM'],
  ['forget', 'WHAT IS ON THE DISKS OF THE NODE STAYS THERE'],
])('the help of %s says what it means', async (command, meaning) => {
  const { exitCode, out } = await run('lvm', command, '--help');
  expect(exitCode).toBe(0);
  expect(out.replaceAll(/\s+/g, ' ')).toContain(meaning);
});

const CLUSTER = 'cluster-1';
const marked = (name: string, changes: Partial<LogicalVolume> = {}, marks = {}) =>
  lv({ name, uuid: `uuid-${name}`, tags: tagsOf(owner({ uid: `uid-${name}`, pv: name, ...marks })), ...changes });

function left(
  lvs: readonly LogicalVolume[],
  names: readonly string[] = [],
  mounts = [mount({ mountPoint: '/' })],
  volumes: readonly Claimant[] = [],
) {
  const lvm = { groups: new Map([['storage_bulk', group({}, ...lvs)]]) };
  const searched = { look: { lvm, mounts, mappings: [] }, names, mountBase: '/mnt/pv', cluster: CLUSTER };
  return leftIn(searched, volumes);
}

describe('clean', () => {
  const removed = (...args: Parameters<typeof choiceOf>) => choiceOf(...args).removed.map(orphanInWords);
  const lost = marked('lost');
  const foreign = marked('foreign', {}, { cluster: 'another' });
  const trashed = marked('trash+old+1', {}, { trashedAt: 1 });

  it('removes what nobody can want, and says why it keeps the rest', () => {
    const { removed: gone, kept } = choiceOf(left([lost, foreign, trashed], ['empty']), [], 'node7');
    expect(gone.map(orphanInWords)).toEqual([
      'the logical volume storage_bulk/lost of the volume lost',
      '/mnt/pv/empty, where nothing is mounted',
    ]);
    expect(kept.map(({ why }) => why)).toEqual([
      'name it to have it removed',
      'it is in the trash: name it to have it removed now',
    ]);
  });

  it('removes what is named, and only that', () => {
    const all = left([lost, foreign, trashed], ['empty']);
    for (const name of ['storage_bulk/foreign', 'storage_bulk/trash+old+1', 'storage_bulk/lost', '/mnt/pv/empty'])
      expect(removed(all, [name], 'node7')).toEqual([expect.stringContaining(name)]);
  });

  it('does not know what a volume has, or is to take back out of the trash', () => {
    for (const claimant of [{ uid: 'uid-trash+old+1' }, { uid: 'another', adopts: trashed.uuid }]) {
      const all = left([lost, trashed], [], [], [{ path: '/mnt/pv/old', ...claimant }]);
      expect(() => choiceOf(all, ['storage_bulk/trash+old+1'], 'node7')).toThrow('nothing on node7');
      expect(removed(all, [], 'node7')).toEqual([expect.stringContaining('storage_bulk/lost')]);
    }
  });

  it('stops at what somebody has begun to take back, or has taken over', () => {
    expect(isLeftAsItWas(trashed, { ...trashed, isActive: false })).toBe(true);
    expect(isLeftAsItWas(trashed, { ...trashed, name: 'old' })).toBe(false);
    expect(isLeftAsItWas(lost, { ...lost, name: 'renamed' })).toBe(true);
    expect(isLeftAsItWas(lost, marked('lost', {}, { uid: 'another' }))).toBe(false);
  });

  it('does not guess what was meant', () =>
    expect(() => choiceOf(left([lost]), ['storage_bulk/last'], 'node7')).toThrow(
      'storage_bulk/last is nothing on node7 that belongs to no volume',
    ));

  it('leaves alone what somebody has mounted there himself, and unmounts what goes', () => {
    const other = mount({ mountPoint: '/mnt/pv/other', device: '8:1' });
    const own = mount({ mountPoint: '/mnt/pv/lost', device: '253:9' });
    const all = left([{ ...lost, device: '253:9' }], ['other', 'lost'], [other, own]);
    const { removed: gone, kept } = choiceOf(all, [], 'node7');
    expect(gone.map(({ kind }) => kind)).toEqual(['logical-volume', 'mount-point']);
    expect(kept).toMatchObject([{ why: 'something is mounted there: unmount it first' }]);
  });
});

describe('restore', () => {
  const first = marked('trash+data+1', {}, { pv: 'data', trashedAt: 1 });
  const second = marked('trash+data+2', {}, { pv: 'data', trashedAt: 2 });

  it('finds a logical volume by the name of its volume, by its own, or by its uuid', () => {
    const all = left([first, marked('lost')]);
    for (const name of ['data', 'trash+data+1', 'storage_bulk/trash+data+1', 'uuid-trash+data+1'])
      expect(chosen(all, name, 'node7')).toBe(first);
    expect(chosen(all, 'lost', 'node7').name).toBe('lost');
  });

  it('does not choose among several', () =>
    expect(() => chosen(left([first, second]), 'data', 'node7')).toThrow(
      'there are several of data: name one of storage_bulk/trash+data+1, storage_bulk/trash+data+2',
    ));

  it('says what there is when there is nothing of that name', () => {
    expect(() => chosen(left([first]), 'other', 'node7')).toThrow(
      'nothing of other is left on node7; there are storage_bulk/trash+data+1',
    );
    expect(() => chosen(left([]), 'other', 'node7')).toThrow('there is nothing at all');
  });
});

describe('the node of a volume', () => {
  const id = 'node-id.k8s.portavita.net/nodeid';
  it.each([
    ['has the id', { name: 'a', labels: { [id]: 'x' } }, { label: id, value: 'x' }, true],
    ['has another id', { name: 'a', labels: { [id]: 'y' } }, { label: id, value: 'x' }, false],
    ['has the id that is guessed from its name', { name: 'worker7', labels: {} }, { label: id, value: 'node7' }, true],
    ['has the host name', { name: 'a', labels: {} }, { label: 'kubernetes.io/hostname', value: 'a' }, true],
    ['is none that is known', { name: 'a', labels: {} }, undefined, false],
  ] as const)('%s', (_, node, home, is) => expect(isHome(node, home)).toBe(is));
});

describe('the header that is backed up', () => {
  const CRYPT = { options: { fsType: 'ext4', cryptSecret: 'storage/key' } };
  const found =
    (...volumes: LogicalVolume[]) =>
    () =>
      encrypted('data', { groups: new Map([['fast', group({ name: 'fast' }, ...volumes)]]) });

  it('is that of the volume, and not of what is in the trash', () => {
    const there = marked('data', {}, CRYPT);
    const gone = marked('trash+data', {}, { ...CRYPT, pv: 'data', trashedAt: 1 });
    expect(found(gone, marked('other', {}, CRYPT), there)()).toBe(there);
  });

  it.each<[string, readonly LogicalVolume[]]>([
    ['there is no logical volume of data', [marked('other', {}, CRYPT)]],
    ['several logical volumes say', [marked('data', {}, CRYPT), marked('copy', {}, { ...CRYPT, pv: 'data' })]],
    ['data is not encrypted', [marked('data')]],
    ['is not active', [marked('data', { isActive: false }, CRYPT)]],
  ])('is not: %s', (why, volumes) => expect(found(...volumes)).toThrow(why));
});

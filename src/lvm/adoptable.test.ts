import { describe, expect, it } from 'vitest';
import { type Adopting, adoptable } from './adoptable.ts';
import { group, lv, owner } from './builders.ts';
import { ADOPT_ANNOTATION } from './contract.ts';
import type { LogicalVolume } from './facts.ts';
import { tagsOf } from './tags.ts';

const marked = (name: string, marks: Parameters<typeof owner>[0] = {}, changes: Partial<LogicalVolume> = {}) =>
  lv({ name, uuid: `lv-${name}`, tags: tagsOf(owner({ uid: `uid-${name}`, pv: name, ...marks })), ...changes });

function found(lvs: readonly LogicalVolume[], volumes: Adopting['volumes'] = []) {
  const groups = new Map(
    Map.groupBy(lvs, (each) => each.group)
      .entries()
      .map(([name, of]) => [name, group({ name }, ...of)]),
  );
  const node = { name: 'worker-1', labels: {} };
  const { manifests, leftOut } = adoptable({ groups }, { node, mountBase: '/mnt/pv', storageClass: 'local', volumes });
  return { names: manifests.map(({ metadata }) => metadata.name), manifests, leftOut };
}

describe('what a new cluster can take over', () => {
  it('is everything with our marks, of whatever cluster, and nothing else', () => {
    const lvs = [marked('b'), marked('a', { cluster: 'cluster-2' }), lv({ name: 'root' })];
    const { names, manifests, leftOut } = found(lvs);
    expect(names).toEqual(['a', 'b']);
    expect(manifests[0]?.metadata.annotations).toMatchObject({ [ADOPT_ANNOTATION]: 'lv-a' });
    expect(leftOut).toEqual([]);
  });

  it('is not what a volume of the cluster has, or is to get', () => {
    const has = { name: 'a', uid: 'uid-a' };
    const gets = { name: 'b', uid: 'uid-new', adopts: 'lv-b' };
    expect(found([marked('a'), marked('b')], [has, gets])).toMatchObject({ names: [], leftOut: [] });
  });

  it.each<[string, readonly LogicalVolume[], Adopting['volumes']?]>([
    ['contradict each other', [lv({ tags: ['holdfast.dev/uid=a', 'holdfast.dev/uid=b'] })]],
    ['begun to shred', [marked('a', { isShredding: true })]],
    ['in the trash', [marked('trash+a', { pv: 'a', trashedAt: 1 })]],
    ['renamed to that', [marked('a-old', { pv: 'a' })]],
    ['says as well', [marked('a'), marked('a', { uid: 'uid-2' }, { group: 'other', uuid: 'lv-2' })]],
    ['another volume a', [marked('a')], [{ name: 'a', uid: 'uid-new' }]],
  ])('is told of when it cannot be: %s', (why, lvs, volumes) => {
    const { names, leftOut } = found(lvs, volumes);
    expect(names).toEqual([]);
    expect(leftOut).toHaveLength(lvs.length);
    for (const each of leftOut) expect(each).toContain(why);
  });
});

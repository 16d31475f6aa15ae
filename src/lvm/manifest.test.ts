import { describe, expect, it } from 'vitest';
import { lv, owner } from './builders.ts';
import { declarationOf } from './declared.ts';
import { belonging, ownNodeOf } from './home.ts';
import { type ManifestOf, manifestOf } from './manifest.ts';
import { volumeOf } from './volume.ts';

const LABELLED = { name: 'worker-1', labels: { 'node-id.k8s.portavita.net/nodeid': 'node7' } };
const OPTIONS = {
  fsType: 'xfs',
  mountOpts: 'noexec,noatime',
  vg: 'old_name',
  fsOpts: '',
  autoRelease: 'false',
  shred: 'zero',
  removePolicy: 'trash',
} as const;

const manifest = (changes: Partial<ManifestOf> = {}) =>
  manifestOf({
    lv: lv({ name: 'trash+data+1' }),
    owner: owner({ options: OPTIONS }),
    name: 'data',
    node: LABELLED,
    mountBase: '/mnt/pv',
    storageClass: 'k8s-local-pv',
    ...changes,
  });

/** As the agent of the node reads it. */
function read(node: ManifestOf['node'], changes: Partial<ManifestOf> = {}) {
  const volume = volumeOf(manifest({ node, ...changes }));
  if (!volume) throw new Error('it is no local volume');
  const settings = { namespace: 'holdfast', secretNamespaces: ['storage'], mountBase: '/mnt/pv' };
  return { volume, declaration: declarationOf(volume, { defaults: {}, settings }) };
}

describe('the manifest of what is on a node', () => {
  it('asks for what is there, where it is', () => {
    const { volume, declaration } = read(LABELLED);
    expect(volume).toMatchObject({ name: 'data', path: '/mnt/pv/data', adopts: 'lv-uuid-1', reclaimPolicy: 'Retain' });
    expect(declaration).toMatchObject({
      ok: true,
      declared: {
        bytes: lv().sizeBytes,
        options: { fsType: 'xfs', vg: 'storage_bulk', shred: 'zero', removePolicy: 'trash' },
      },
    });
  });

  it.each([
    ['its id', LABELLED],
    ['its host name', { name: 'worker-1', labels: { 'kubernetes.io/hostname': 'host-1' } }],
    ['its name', { name: 'worker', labels: {} }],
  ])('belongs to its node, by %s', (_, node) =>
    expect(belonging(read(node).volume, ownNodeOf(node), ['k8s-local-pv'])).toBe('ours'),
  );

  it('keeps the name of the Secret, and can be of another name', () => {
    const encrypted = owner({ options: { ...OPTIONS, cryptSecret: 'storage/key' } });
    const { declaration } = read(LABELLED, { owner: encrypted, name: 'other' });
    expect(declaration).toMatchObject({
      ok: true,
      declared: { path: '/mnt/pv/other', options: { crypt: { name: 'key' } } },
    });
  });
});

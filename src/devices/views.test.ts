import { expect, test } from 'vitest';
import type { ViewSpec } from '../kit/cache/caches.ts';
import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import { devicesViews, type ViewSource } from './views.ts';

/** What is asked of the server, by the kind of object. */
function asked() {
  const specs = new Map<string, ViewSpec<KubeObject, unknown, string>>();
  const source = {
    view: (resource: Resource, spec: ViewSpec<KubeObject, unknown, string>) => void specs.set(resource.plural, spec),
  } as unknown as ViewSource;
  devicesViews(source, 'n1', 'storage');
  return (plural: string) => {
    const spec = specs.get(plural);
    if (!spec) throw new Error(`nobody asks for ${plural}`);
    return spec;
  };
}

test('of nodes only our own is asked for, and of volumes only those with its label', () => {
  const of = asked();
  expect(of('nodes').fieldSelector).toBe('metadata.name=n1');
  expect(of('persistentvolumes').labelSelector).toBe('local-pv-provisioner.cybozu.com/node=n1');
});

test('of ConfigMaps only those of our namespace are asked for, and no reports of other agents', () => {
  const { namespace, labelSelector } = asked()('configmaps');
  expect([namespace, labelSelector]).toEqual(['storage', '!holdfast.dev/report']);
});

test('a ConfigMap that is too large for a configuration is not kept', () => {
  const { project } = asked()('configmaps');
  const map = (data: Record<string, string>) => ({ metadata: { name: 'c' }, data }) as KubeObject;
  expect(project(map({ deviceDir: '/dev' }))).toEqual({ deviceDir: '/dev' });
  expect(project(map({ deviceDir: 'x'.repeat(20_000) }))).toBe('too-large');
  expect(project({ metadata: { name: 'c' } })).toEqual({});
});

test('of the Node its uid, its ConfigMap and its approvals are kept', () => {
  const { project } = asked()('nodes');
  const annotations = {
    'local-pv-provisioner.cybozu.io/pv-spec-configmap': 'ssd',
    'holdfast.dev/approved-devices': '{}',
    other: 'x',
  };
  expect(project({ metadata: { name: 'n1', uid: 'u', annotations } })).toEqual({
    uid: 'u',
    configMap: 'ssd',
    approvals: '{}',
  });
  expect(project({ metadata: { name: 'n1', uid: 'u' } })).toEqual({ uid: 'u' });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiVersionOf, collectionPath, keyOfObject, nameOf, objectPath, type Resource, refOf } from './resource.ts';

const PODS: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const NODES: Resource = { ...PODS, plural: 'nodes', kind: 'Node', namespaced: false };
const LEASES: Resource = { ...PODS, group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' };
const HOSTILE = ['..', '.', 'a/b', '../../kube-system/secrets/x', 'a%2Fb', '%2e%2e'];

describe('the paths of a resource', () => {
  test('lead to all of it, to one namespace, to one object and to a part of that', () => {
    expect(collectionPath(PODS)).toBe('/api/v1/pods');
    expect(collectionPath(PODS, 'shop')).toBe('/api/v1/namespaces/shop/pods');
    expect(collectionPath(NODES, 'ignored')).toBe('/api/v1/nodes');
    expect(objectPath(NODES, { name: 'n1' })).toBe('/api/v1/nodes/n1');
    expect(objectPath(NODES, { name: 'n1' }, 'status')).toBe('/api/v1/nodes/n1/status');
    expect(objectPath(LEASES, { namespace: 'ns', name: 'x' })).toBe(
      '/apis/coordination.k8s.io/v1/namespaces/ns/leases/x',
    );
  });

  test('encode what is not for a path', () => {
    expect(objectPath(NODES, { name: 'a b?c#d&e' })).toBe('/api/v1/nodes/a%20b%3Fc%23d%26e');
    expect(collectionPath(PODS, 'ä')).toBe('/api/v1/namespaces/%C3%A4/pods');
  });

  test.each(HOSTILE)('do not follow the name %j to another object', (name) => {
    expect(() => objectPath(NODES, { name })).toThrow('is not a name of a Node');
    expect(() => objectPath(PODS, { namespace: name, name: 'x' })).toThrow('is not a name of a Namespace');
    expect(() => collectionPath(PODS, name)).toThrow('is not a name of a Namespace');
  });

  test('are refused without a name or a namespace that they need', () => {
    expect(() => objectPath(NODES, { name: '' })).toThrow('the path would name all of them');
    expect(() => objectPath(PODS, { name: 'x' })).toThrow('Pod "x" was asked for without its namespace');
  });
});

describe('the names of a resource', () => {
  test('are those that people and manifests use', () => {
    expect([apiVersionOf(PODS), apiVersionOf(LEASES)]).toEqual(['v1', 'coordination.k8s.io/v1']);
    expect([nameOf(PODS), nameOf(LEASES)]).toEqual(['pods', 'leases.coordination.k8s.io']);
  });
});

describe('a key', () => {
  test('leads back to what it was made of', () => {
    const text = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.option(text, { nil: undefined }), text, (namespace, name) => {
        const ref = namespace ? { namespace, name } : { name };
        expect(refOf(keyOfObject({ metadata: ref }))).toEqual(ref);
      }),
    );
  });
});

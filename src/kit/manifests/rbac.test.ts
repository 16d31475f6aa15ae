import { describe, expect, test } from 'vitest';
import type { Access, ControllerSpec } from './controller-spec.ts';
import { rolesOf, runtimeRoles } from './rbac.ts';

const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const NODES = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

const aController = (...accesses: readonly Access[]): ControllerSpec => ({
  name: 'sample',
  runs: 'cluster',
  reads: accesses as ControllerSpec['reads'],
  writes: [],
});

describe('a controller', () => {
  test('gets a ClusterRole for everywhere and a Role for its own namespace, both under its name', () => {
    const roles = rolesOf(
      aController({ resource: NODES, verbs: ['get'] }, { resource: PODS, verbs: ['get'], scope: 'own' }),
    );
    expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ClusterRole holdfast-sample',
      'Role holdfast-sample',
    ]);
  });

  test('gets no role that would be empty', () => {
    expect(rolesOf(aController())).toEqual([]);
    expect(rolesOf(aController({ resource: NODES, verbs: ['get'] }))).toHaveLength(1);
  });

  test('is not granted in its own namespace what it has everywhere', () => {
    const everywhere: Access = { resource: PODS, verbs: ['get', 'list'] };
    const own: Access = { resource: PODS, verbs: ['list', 'delete'], scope: 'own' };
    expect(rolesOf(aController(everywhere, own))[1]?.rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['delete'] },
    ]);
  });

  const keys: Access = { resource: PODS, verbs: ['get'], scope: 'chosen' };

  test('gets a Role of another name for namespaces that are to be chosen', () => {
    const own: Access = { resource: PODS, verbs: ['list'], scope: 'own' };
    expect(rolesOf(aController(own, keys)).map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ['Role', { name: 'holdfast-sample' }],
      ['Role', { name: 'holdfast-sample-pods' }],
    ]);
  });

  test('gets that Role in each namespace that is chosen, and nowhere else', () => {
    const roles = rolesOf(aController(keys), ['a', 'b']);
    expect(roles.map(({ metadata }) => metadata)).toEqual([
      { name: 'holdfast-sample-pods', namespace: 'a' },
      { name: 'holdfast-sample-pods', namespace: 'b' },
    ]);
    for (const { rules } of roles) expect(rules).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
  });

  test('that asks for nothing in chosen namespaces gets nothing there', () => {
    expect(rolesOf(aController({ resource: NODES, verbs: ['get'] }), ['a'])).toHaveLength(1);
  });

  test.each(['create', 'deletecollection'] as const)('cannot be limited to names for %s, which has none', (verb) => {
    const access: Access = { resource: PODS, verbs: ['get', verb], names: ['a'] };
    expect(() => rolesOf(aController(access))).toThrow(`${verb} on pods cannot be limited to names`);
  });

  test('can be limited to names for creating a subresource, whose object has one', () => {
    const access: Access = { resource: PODS, subresource: 'eviction', verbs: ['create'], names: ['a'] };
    expect(rolesOf(aController(access))[0]?.rules).toEqual([
      { apiGroups: [''], resources: ['pods/eviction'], resourceNames: ['a'], verbs: ['create'] },
    ]);
  });

  test('cannot be limited to its own namespace for what has none', () => {
    expect(() => rolesOf(aController({ resource: NODES, verbs: ['get'], scope: 'own' }))).toThrow(
      'nodes has no namespaces',
    );
  });
});

test('Events and election are roles of their own, so that each may be withheld', () => {
  expect(runtimeRoles().map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'ClusterRole holdfast-events',
    'Role holdfast-leader-election',
  ]);
});

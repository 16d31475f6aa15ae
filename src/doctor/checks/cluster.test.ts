import { expect, test } from 'vitest';
import { aCluster, unseen } from '../builders.ts';
import type { Cluster } from '../cluster.ts';
import { CLUSTER_CHECKS } from './all.ts';

test('in a cluster in which all is well, all is well', () => {
  for (const { name, judge } of CLUSTER_CHECKS) expect([name, judge(aCluster()).is]).toEqual([name, 'ok']);
});

test('what may not be read is unknown, with the reason, and never well', () => {
  const nothing = aCluster({
    server: unseen,
    clock: unseen,
    nodes: unseen,
    volumes: unseen,
    reports: unseen,
    leases: unseen,
    writers: unseen,
    kinds: unseen,
    policies: unseen,
    bindings: unseen,
    syncs: unseen,
  });
  for (const { name, judge } of CLUSTER_CHECKS)
    expect([name, judge(nothing)]).toEqual([name, { is: 'unknown', why: 'it may not be read' }]);
});

/** Which parts each check cannot do without: to lose one of them must never make it well. */
const NEEDS: Readonly<Record<string, readonly (keyof Cluster)[]>> = {
  'admission-policies': ['policies', 'bindings', 'writers'],
  'writes-of-originals': ['volumes', 'writers'],
  reports: ['reports', 'nodes'],
  finalizers: ['volumes', 'nodes'],
  'released-volumes': ['volumes', 'nodes', 'reports'],
  leases: ['leases', 'writers'],
  'restored-volumes': ['volumes', 'syncs'],
};

test.each(Object.entries(NEEDS))('%s is unknown when any one of its parts is', (name, parts) => {
  const check = CLUSTER_CHECKS.find((each) => each.name === name);
  for (const part of parts) expect(check?.judge(aCluster({ [part]: unseen })).is).toBe('unknown');
});

test('each check has a name of its own', () => {
  const names = CLUSTER_CHECKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

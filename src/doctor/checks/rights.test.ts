import { expect, test } from 'vitest';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { PV_POOLS } from '../../pool/contract.ts';
import { aCluster, aWriter, seen, told, unseen } from '../builders.ts';
import type { Right } from '../cluster.ts';
import { questionsOn } from '../reviews.ts';
import { keyOf } from '../writers.ts';
import { accountsHaveTheirRights } from './rights.ts';

const writers = seen([aWriter()]);
const right = (isAllowed: boolean, parts: Partial<Right> = {}): Right => ({
  access: { resource: PERSISTENT_VOLUMES, verbs: ['delete'] },
  verb: 'delete',
  isAllowed,
  ...parts,
});

test('an account that may do all that is declared is well', () => {
  const rights = new Map([[keyOf(aWriter()), seen([right(true)])]]);
  expect(accountsHaveTheirRights.judge(aCluster({ writers, rights })).is).toBe('ok');
});

test('all that it may not do is told', () => {
  const status = { access: { resource: PV_POOLS, subresource: 'status', verbs: ['patch'] }, verb: 'patch' } as const;
  const missing = [right(false), right(true), right(false, { ...status, namespace: 'keys' })];
  const rights = new Map([[keyOf(aWriter()), seen(missing)]]);
  expect(told(accountsHaveTheirRights.judge(aCluster({ writers, rights })))).toEqual([
    'error: account storage/holdfast-devices of DaemonSet storage/holdfast-devices: it may not delete persistentvolumes, patch pvpools.pvpool.noobaa.com/status in keys',
  ]);
});

test('an account that nobody may ask about is unknown', () => {
  const rights = new Map([[keyOf(aWriter()), unseen]]);
  expect(accountsHaveTheirRights.judge(aCluster({ writers, rights })).is).toBe('unknown');
  expect(accountsHaveTheirRights.judge(aCluster({ writers })).is).toBe('unknown');
});

test('asked is what the controller declares, in the places that it was told of', () => {
  const lvm = questionsOn(aWriter({ job: 'lvm', secretNamespaces: ['keys', 'more'] }));
  const secrets = lvm.filter(({ access }) => access.resource.plural === 'secrets');
  expect(secrets.map(({ verb, namespace }) => [verb, namespace])).toEqual([
    ['get', 'keys'],
    ['get', 'more'],
  ]);
  const maps = lvm.filter(({ access }) => access.resource.plural === 'configmaps');
  expect(maps.map(({ verb, namespace }) => `${verb} in ${namespace}`)).toEqual(
    ['list', 'watch', 'create', 'patch'].map((verb) => `${verb} in storage`),
  );
  expect(lvm.find(({ access }) => access.names)?.name).toBe('kube-system');
  const leases = (elects: boolean) =>
    questionsOn(aWriter({ job: 'pool', elects })).filter(({ access }) => access.resource.plural === 'leases');
  expect([leases(true).length, leases(false).length]).toEqual([4, 0]);
});

test('a console has its own rights, where one is installed', () => {
  const { who: _, original: __, does: ___, ...parts } = aWriter({ name: 'holdfast-console', account: 'console' });
  const installed = { ...parts, job: 'console' } as const;
  expect(questionsOn(installed).some(({ access }) => access.resource.plural === 'tokenreviews')).toBe(true);
  const rights = new Map([[keyOf(installed), seen([right(false)])]]);
  expect(told(accountsHaveTheirRights.judge(aCluster({ consoles: seen([installed]), rights })))).toEqual([
    'error: account storage/console of DaemonSet storage/holdfast-console: it may not delete persistentvolumes',
  ]);
});

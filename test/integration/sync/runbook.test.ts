/**
 * The runbook of docs/sync.md, step by step on two real clusters, with the commands as they stand there: what it tells people to type is
 * typed here, also where something is cut off in the middle and typed again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, kubeconfigFlag, runHoldfastIn } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount, type PolicyRule } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { aVolume, claimsIn, type Site, SyncWorld, VOLUMES, type Volume } from './world.ts';

const NAMES = ['alpha', 'beta', 'gamma'];
const READ: PolicyRule = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] };
const MAKE: PolicyRule = {
  apiGroups: [''],
  resources: ['namespaces', 'persistentvolumes', 'persistentvolumeclaims'],
  verbs: ['create'],
};

const MARK: PolicyRule = { apiGroups: ['storage.cndev.nl'], resources: ['persistentvolumesyncs'], verbs: ['patch'] };

let world: SyncWorld;
beforeAll(async () => {
  world = await SyncWorld.start();
  const { here, there } = world;
  await Promise.all([here.startOperator(), there.startOperator()]);
  for (const name of NAMES) await here.pair(name, 'shop');
  const lonely = { persistentVolumeReclaimPolicy: 'Retain', storageClassName: '' };
  await here.admin.post(VOLUMES, aVolume('lonely', lonely));
  await there.admin.post(VOLUMES, aVolume('lonely', lonely, {}));
  await here.sync('dr', { protectedCluster: 'prod', mode: 'Protected' });
  await there.sync('dr', { protectedCluster: 'prod', mode: 'Recovery', pollingInterval: 1 });
  await here.says('dr', 'Exported', 'True');
  await there.says('dr', 'InSync', 'True');
  for (const site of [here, there]) await putSecret(site);
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** As the first page of the documentation has it made. */
const putSecret = ({ admin, environment }: Site) =>
  admin.post('/api/v1/namespaces/pvsync-operator/secrets', { metadata: { name: 'pvsync' }, stringData: environment });

const typed: string[] = [];
/** A command as a person types it, who may do everything, with nothing in the environment but the way to the cluster. */
async function type(site: Site, line: string, kubeconfig = `--kubeconfig=${site.plane.kubeconfig}`): Promise<Ended> {
  typed.push(line);
  const [program, ...words] = line.split(' ');
  if (program !== 'holdfast') throw new Error(`${line} is none of our commands`);
  return await runHoldfastIn({}, ...words, kubeconfig);
}

/** The flag of somebody who may do only that. */
async function restricted({ plane }: Site, name: string, clusterRules: readonly PolicyRule[]): Promise<string> {
  return await kubeconfigFlag(plane.directory, await createServiceAccount(plane, { name, clusterRules }), plane);
}

const SECRET = '--secret pvsync-operator/pvsync';
const volume = ({ admin }: Site, name: string) => admin.get<Volume>(`${VOLUMES}/${name}`);
const isGone = ({ admin }: Site, path: string) =>
  eventually(async () => (await admin.request('GET', path)).status === 404, { timeout: 60_000 });

async function removeGamma(site: Site): Promise<void> {
  await site.admin.delete(`${claimsIn('shop')}/gamma`);
  await site.admin.delete(`${VOLUMES}/gamma`);
}

test('on all other days: a drill that cannot clean up leaves its copies, which --clean removes', async () => {
  const { there } = world;
  const drills = async () =>
    (await there.admin.list<RawObject>(`${VOLUMES}?labelSelector=holdfast.dev/drill`)).items.length;
  const maker = await restricted(there, 'maker', [READ, MAKE, MARK]);
  const cutOff = await type(there, `holdfast sync drill --yes ${SECRET}`, maker);
  expect(cutOff.code).toBe(1);
  expect(await drills()).toBe(4);
  const unasked = await type(there, 'holdfast sync drill --clean');
  expect(unasked).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/PersistentVolume drill-\w+-alpha of drill/),
  });
  expect(await drills()).toBe(4);
  const cleaned = await type(there, 'holdfast sync drill --clean --yes');
  expect(cleaned).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+ copies of drills were removed/) });
  await eventually(async () => expect(await drills()).toBe(0), { timeout: 60_000 });
  const whole = await type(there, `holdfast sync drill --yes ${SECRET}`);
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('a restore of 4 volumes and 3 claims') });
});

test('step 1: look', async () => {
  const { there } = world;
  const status = await type(there, 'holdfast status sync');
  expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/dr +Recovery +prod +s3/) });
  const without = await type(there, 'holdfast sync plan');
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('OBJECT_STORAGE_BUCKET is not set') });
  const { code, stdout } = await type(there, `holdfast sync plan ${SECRET}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/in place +3 volumes and 3 claims/);
  expect(stdout).toMatch(/leave +PersistentVolume +lonely/);
});

test('steps 2 and 3: a failover that is cut off says so, touches nothing that was restored, and is run again', async () => {
  const { here, there } = world;
  await here.killOperator();
  const reader = await restricted(there, 'reader', [READ]);
  const cutOff = await type(there, `holdfast sync failover --yes --allow-plain ${SECRET}`, reader);
  expect(cutOff.stdout).toContain('epoch 2: this cluster is the writer of prod now');
  expect(cutOff).toMatchObject({ code: 1, stderr: expect.stringContaining('Run failover again') });
  await there.says('dr', 'InSync', 'False', /^FailoverUnderWay/);
  for (const name of NAMES) await there.isBound('shop', name, name);
  const again = await type(there, `holdfast sync failover --yes ${SECRET}`);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain('epoch 2: this cluster is the writer of prod now');
  expect(again.stdout, 'what is not ours to label').toContain('lonely');
  await there.says('dr', 'Exported', 'True', /3 volumes and 3 claims are exported/);
  await there.admin.patch(`${VOLUMES}/lonely`, {
    metadata: { labels: { 'volumesyncs.storage.cndev.nl/sync': 'enabled' } },
  });
  await there.says('dr', 'Exported', 'True', /4 volumes and 3 claims are exported/);
});

test('step 4: the claims are bound already', async () => {
  for (const name of NAMES) await world.there.isBound('shop', name, name);
});

test('step 5: the old cluster comes back deposed, and exports nothing', async () => {
  const { here } = world;
  const exports = async () => (await world.keys()).filter((key) => key.startsWith('prod/'));
  const before = await exports();
  await here.startOperator();
  await here.says('dr', 'Deposed', 'True', /has taken over under epoch 2/);
  expect(await exports()).toEqual(before);
});

test('step 6: it follows, and is in sync', async () => {
  const { here } = world;
  const { code, stdout } = await type(here, `holdfast sync failback --yes ${SECRET}`);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('dr is Recovery now') });
  await here.change('dr', { pollingInterval: 1 });
  await here.says('dr', 'InSync', 'True');
});

test('step 7: what was made anew over there is refused; --force takes over with the one that is here, and the other follows', async () => {
  const { here, there } = world;
  // Between two exports: one without it would have it removed here, and the new one restored.
  await there.killOperator();
  await removeGamma(there);
  await isGone(there, `${VOLUMES}/gamma`);
  await there.pair('gamma', 'shop', { volume: { nfs: { server: '10.1.2.3', path: '/exports/anew' } } });
  await there.startOperator();
  await here.says('dr', 'Refused', 'True', /MustBeRecreated: volume gamma has another spec.nfs here/);
  const refused = await type(here, `holdfast sync failback --yes ${SECRET}`);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('are refused') });
  const forced = await type(here, `holdfast sync failback --yes --force ${SECRET}`);
  expect(forced).toMatchObject({ code: 0, stderr: '' });
  expect(forced.stdout).toContain('epoch 3: this cluster is the writer of prod now');
  expect(forced.stdout).toContain('PersistentVolume gamma is refused: mustBeRecreated');
  await here.says('dr', 'Exported', 'True');
  expect((await volume(here, 'gamma')).spec.nfs?.path).toBe('/exports/gamma');
  await there.admin.patch(`${VOLUMES}/beta`, { metadata: { labels: { tier: 'late' } } });
  await there.says('dr', 'Deposed', 'True', /epoch 3/);
  await there.change('dr', { mode: 'Recovery' });
  await there.says('dr', 'Refused', 'True', /^ExistsAndIsNotOurs: volume gamma/);
  await removeGamma(there);
  await eventually(async () => expect((await volume(there, 'gamma')).spec.nfs?.path).toBe('/exports/gamma'), {
    timeout: 60_000,
  });
  await there.isBound('shop', 'gamma', 'gamma');
  await there.says('dr', 'InSync', 'True');
});

test.each(['holdfast sync verify --cluster prod', 'holdfast sync verify --cluster prod --strict'])(
  'on all other days the store is sound: %s',
  async (line) => {
    const { environment } = world.there;
    typed.push(line);
    const { code, stdout } = await runHoldfastIn(environment, ...line.split(' ').slice(1));
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 broken') });
  },
);

test('all that the runbook tells people to type was typed', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sync.md'), 'utf8');
  const [, runbook = ''] = /^## A bad day$(.*?)^## /ms.exec(page) ?? [];
  const told = [...runbook.matchAll(/`((?:holdfast |--)[^`]*)`/g)].map(([, command = '']) => command);
  expect(new Set(told).size).toBeGreaterThan(8);
  const isTyped = (command: string) => typed.some((line) => command.split(' ').every((word) => line.includes(word)));
  expect(told.filter((command) => !isTyped(command))).toEqual([]);
});

/** The kind PersistentVolumeSync on a real API server: what the original took is taken, what cannot work is refused, and there is only one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SyncSpec } from '../../../src/sync/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { Answer, RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { forbiddenBy, hasNoWarnings } from '../admission.ts';
import { addPolicies } from '../kinds.ts';
import { kubectl } from '../pool/kubectl.ts';
import { addSyncs, aSync, type RawSync, SYNCS } from './shipped.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  await addSyncs(plane);
});
afterAll(() => plane?.[Symbol.asyncDispose]());

const verdict = (spec: Partial<SyncSpec>, name = 'dr'): Promise<Answer<RawObject & { message?: string }>> =>
  plane.admin.request('POST', `${SYNCS}?dryRun=All`, aSync(name, spec));

describe("the original's manifests", () => {
  const sample = (mode: string, more = '') => `apiVersion: storage.cndev.nl/v1alpha1
kind: PersistentVolumeSync
metadata:
  name: example-${mode.toLowerCase()}-cluster
  labels:
    volumesyncs.storage.cndev.nl/name: example-${mode.toLowerCase()}-cluster
    volumesyncs.storage.cndev.nl/part-of: pvsync-operator
  annotations:
    description: "Disaster Recovery solution for Persistent Volumes"
spec:
  protectedCluster: mylocalcluster # name or id of the protected cluster
  mode: ${mode} # Protected | Recovery
  cloudProvider: azure # azure | s3
  retention: 5 # retention in days
${more}`;

  test.each([
    ['Protected', '', {}],
    ['Recovery', '  pollingInterval: 25\n', { pollingInterval: 25 }],
  ])('%s is taken as it is, and stored without anything added', async (mode, more, fields) => {
    const name = `example-${mode.toLowerCase()}-cluster`;
    const file = join(plane.directory, `${mode}.yaml`);
    await writeFile(file, sample(mode, more));
    expect(await kubectl(plane.kubeconfig, 'apply', '-f', file)).toMatchObject({
      stdout: `persistentvolumesync.storage.cndev.nl/${name} created\n`,
      stderr: '',
    });
    const { spec } = await plane.admin.get<RawSync>(`${SYNCS}/${name}`);
    expect(spec).toEqual({ protectedCluster: 'mylocalcluster', mode, cloudProvider: 'azure', retention: 5, ...fields });
    await plane.admin.delete(`${SYNCS}/${name}`);
  });

  test('may write the provider in any case of letters, and the cluster in capitals', async () => {
    expect((await verdict({ cloudProvider: 'Azure', protectedCluster: 'MyCluster_1.eu' })).status).toBe(201);
  });

  test('are found by their short name', async () => {
    await plane.admin.post(SYNCS, aSync('short'));
    const { stdout } = await kubectl(plane.kubeconfig, 'get', 'pvsync');
    expect(stdout).toMatch(/NAME +CLUSTER +MODE/);
    expect(stdout).toContain('mylocalcluster');
    await plane.admin.delete(`${SYNCS}/short`);
  });
});

test.each<[string, Partial<SyncSpec>, string]>([
  ['another provider', { cloudProvider: 'gcs' }, 'cloudProvider is one of azure, s3, file'],
  ['a name that leads elsewhere', { protectedCluster: '../other' }, 'protectedCluster has letters, digits'],
  ['no name', { protectedCluster: '' }, 'protectedCluster has letters, digits'],
  ['no retention', { retention: 0 }, 'retention is a number of days, from 1 to 36500'],
  ['an absurd interval', { pollingInterval: 0 }, 'pollingInterval is a number of seconds'],
  ['another mode', { mode: 'Both' as 'Protected' }, 'Unsupported value: "Both"'],
  ['an empty mapping', { mappings: { nfsServers: [{ from: '', to: 'x' }] } }, 'spec.mappings.nfsServers[0].from'],
])('%s is refused with the reason', async (_, spec, sentence) => {
  const { status, body } = await verdict(spec);
  expect(status).toBe(422);
  expect(body.message).toContain(sentence);
});

test('a name that does not fit in a label is refused', async () => {
  const { status, body } = await verdict({}, 'x'.repeat(64));
  expect(status).toBe(422);
  expect(body.message).toContain('it is the value of a label on all that is restored');
});

test('there is one in a cluster, and a second is refused by the name of the first', async () => {
  await addPolicies(plane, 'sync');
  await plane.admin.post(SYNCS, aSync('first'));
  const forbidden = forbiddenBy('sync');
  const second = () => plane.admin.post(SYNCS, aSync('second'));
  await eventually(async () => {
    const { status } = await plane.admin.request('POST', `${SYNCS}?dryRun=All`, aSync('second'));
    return status === 403;
  });
  await forbidden(second(), 'Change or delete the one that there is: first');
  await hasNoWarnings(plane.admin, 1);
  await plane.admin.patch(`${SYNCS}/first`, { spec: { retention: 7 } });
  await plane.admin.delete(`${SYNCS}/first`);
  await eventually(async () => (await plane.admin.request('POST', SYNCS, aSync('second'))).status === 201);
});

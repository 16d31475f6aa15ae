/** Exports in all their forms, carried by whole operators between real clusters: the original's, and ours compressed, encrypted and signed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENV } from '../../../src/sync/contract.ts';
import { encryptionText, signingPair } from '../../../src/sync/export/sample-keys.ts';
import { eventually } from '../../harness/wait.ts';
import { SYNCS } from './shipped.ts';
import { type Claim, claimsIn, SyncWorld, VOLUMES, type Volume } from './world.ts';

const ORIGINAL = join(import.meta.dirname, '../../../src/sync/export/fixtures/original-export.json');
const own = signingPair();
const encryption = encryptionText();

let world: SyncWorld;
beforeAll(async () => {
  world = await SyncWorld.start();
  const { here, there } = world;
  const keys = { [ENV.encryptionKey]: encryption };
  here.environment = { ...here.environment, ...keys, [ENV.signingKey]: own.signing };
  there.environment = { ...there.environment, ...keys, [ENV.trustedKeys]: own.trusted };
  await Promise.all([here.startOperator(), there.startOperator()]);
});
afterAll(() => world?.[Symbol.asyncDispose]());

test('a real export of the original is restored, and the binder gives the claim that has a volume in it that volume', async () => {
  const { there } = world;
  await world.put('legacy/1763236800_storage_objects.json', readFileSync(ORIGINAL, 'utf8'));
  await there.sync('dr', { protectedCluster: 'legacy', mode: 'Recovery', pollingInterval: 1 });
  await there.says('dr', 'InSync', 'True', /1763236800/);
  await there.isBound('ns-0', 'pv-claim-00000', 'pv-00000');
  expect((await there.volumes()).map(({ metadata }) => metadata.name).toSorted()).toEqual([
    'pv-00000',
    'pv-00001',
    'pv-00002',
  ]);
  const lonely = await there.admin.get<Claim>(`${claimsIn('ns-0')}/pv-claim-00010`);
  expect({ volume: lonely.spec.volumeName, phase: lonely.status.phase }).toEqual({
    volume: undefined,
    phase: 'Pending',
  });
  await there.admin.delete(`${SYNCS}/dr`);
  await eventually(async () => (await there.admin.request('GET', `${SYNCS}/dr`)).status === 404, { timeout: 60_000 });
});

describe('an export that is compressed, encrypted and signed', () => {
  const CLOSED = { compression: 'Gzip', encryption: 'AES-256-GCM', signed: true } as const;
  const isLabelled = (tier: string) =>
    eventually(
      async () =>
        expect((await world.there.admin.get<Volume>(`${VOLUMES}/alpha`)).metadata.labels).toHaveProperty('tier', tier),
      { timeout: 60_000 },
    );
  const label = (tier: string) => world.here.admin.patch(`${VOLUMES}/alpha`, { metadata: { labels: { tier } } });

  test('is restored, and nobody who reads the store learns what is in it', async () => {
    const { here, there } = world;
    await here.pair('alpha', 'shop');
    await here.sync('dr', { protectedCluster: 'prod', mode: 'Protected', ...CLOSED });
    await here.says('dr', 'Exported', 'True');
    await there.sync('dr', { protectedCluster: 'prod', mode: 'Recovery', pollingInterval: 1, ...CLOSED });
    await there.says('dr', 'InSync', 'True');
    await there.isBound('shop', 'alpha', 'alpha');
    const keys = (await world.keys()).filter((key) => !key.startsWith('legacy/'));
    expect(keys.filter((key) => key.startsWith('prod/'))).toEqual([]);
    for (const key of keys) expect(await world.object(key), key).not.toContain('alpha');
  });

  test('is refused when another key has signed it, and nothing that was restored is touched, until the right one has', async () => {
    const { here, there } = world;
    const before = await there.volumes();
    const { environment } = here;
    await here.killOperator();
    here.environment = { ...environment, [ENV.signingKey]: signingPair().signing };
    await label('stolen');
    await here.startOperator();
    await there.says('dr', 'InSync', 'False', /^SignerIsUnknown/);
    expect(await there.volumes()).toEqual(before);
    await here.killOperator();
    here.environment = environment;
    await here.startOperator();
    await label('gold');
    await there.says('dr', 'InSync', 'True');
    await isLabelled('gold');
  });

  test('is not taken over by a cluster that could not sign, or would not encrypt, and is by one that can', async () => {
    const { here, there } = world;
    const unsigned = await there.command('failover', '--yes', '--force');
    expect(unsigned).toMatchObject({ code: 1, stderr: expect.stringContaining('SYNC_SIGNING_KEY is not set') });
    await there.change('dr', { signed: false, encryption: 'None' });
    await there.says('dr', 'InSync', 'True');
    const plain = await there.command('failover', '--yes');
    expect(plain).toMatchObject({ code: 1, stderr: expect.stringContaining('the exports so far are encrypted') });
    await label('platinum');
    await isLabelled('platinum');
    await here.says('dr', 'Exported', 'True');
    there.environment = { ...there.environment, [ENV.signingKey]: signingPair().signing };
    await there.killOperator();
    await there.startOperator();
    await there.change('dr', { ...CLOSED });
    await there.says('dr', 'InSync', 'True');
    await here.killOperator();
    expect(await there.command('failover', '--yes')).toMatchObject({ code: 0, stderr: '' });
    await there.says('dr', 'Exported', 'True');
    expect((await world.keys()).filter((key) => key.startsWith('prod/'))).toEqual([]);
  });
});

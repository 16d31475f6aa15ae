/** Whatever the API server lets through as a sync is looked at, and ends in a status: in what was done, or in why not. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { whateverFits } from '../../test/arbitraries/structural-schema.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { structuralSchema } from '../kit/manifests/structural-schema.ts';
import { PROVIDERS, SYNC_ENABLED, SYNC_LABEL, type SyncSpec } from './contract.ts';
import { persistentVolumeSyncResource } from './custom-resource.ts';
import { SimulatedSite } from './simulated-site.ts';
import { SimulatedStore } from './store/simulated-store.ts';

/** Of the texts that rules are about, chance hardly ever finds one that is let through. */
const ruled = fc.record({
  protectedCluster: fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9._]{0,20}[A-Za-z0-9])?$/),
  cloudProvider: fc.constantFrom(...PROVIDERS, 'S3', 'Azure'),
});

const specs = fc
  .tuple(whateverFits(structuralSchema(persistentVolumeSyncResource.spec)), ruled)
  .map(([spec, texts]) => ({ ...(spec as SyncSpec), ...texts }))
  .filter((spec) => persistentVolumeSyncResource.spec.safeParse(spec).success);

/** What once was found stays tried. */
const RECORDED: [SyncSpec][] = [
  [{ protectedCluster: 'A', mode: 'Recovery', cloudProvider: 's3', retention: 1, massDeletion: {}, mappings: {} }],
];

const MOST_TURNS = 2_000;

const aVolume = {
  metadata: { name: 'data', labels: { [SYNC_LABEL]: SYNC_ENABLED } },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nfs: { server: '10.0.0.1', path: '/data' } },
};

/** Of one sync, after a while. What is packed is packed by a thread, which virtual time does not wait for. */
async function lookedAt(spec: SyncSpec): Promise<SimulatedSite> {
  const clock = new VirtualClock();
  const site = new SimulatedSite(clock, 'here', new SimulatedStore(clock));
  site.cluster.put('persistentvolumes', aVolume);
  site.declare('any', spec);
  site.start();
  for (let turn = 0; turn < MOST_TURNS && !site.status('any').conditions; turn++) {
    await clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  site.kill();
  return site;
}

test('any spec of a sync ends in a status, and in nothing that nobody has foreseen', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(specs, async (spec) => {
      const site = await lookedAt(spec);
      expect(site.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(site.status('any').conditions).toEqual(expect.any(Array));
    }),
    { examples: RECORDED, numRuns: 40 },
  );
});

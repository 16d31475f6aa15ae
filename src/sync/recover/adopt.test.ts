import { describe, expect, test } from 'vitest';
import { SYNC_ENABLED, SYNC_LABEL } from '../contract.ts';
import { adopt, adoptable } from './adopt.ts';
import { aPair, aVolume, OURS, RecoveryWorld, together } from './builders.ts';

const scope = { [SYNC_LABEL]: SYNC_ENABLED };

describe('what a cluster has exported itself and follows now', () => {
  test('counts as restored, and its data is kept from the same moment on', async () => {
    const world = new RecoveryWorld('apps');
    const exported = aPair('a');
    for (const object of [...exported.volumes, ...exported.claims]) world.has(object);
    expect(world.volume('a')?.spec?.persistentVolumeReclaimPolicy).toBe('Delete');
    world.afterWrite = () => {
      const { metadata, spec } = world.volume('a') ?? expect.unreachable();
      expect(metadata.labels).toEqual({ ...scope, ...OURS });
      expect(spec?.persistentVolumeReclaimPolicy).toBe('Retain');
    };
    expect(await adopt(world.writing(), adoptable(world.seen(exported)))).toMatchObject({
      counts: { change: 2 },
      failures: [],
    });
    expect(world.writes).toHaveLength(2);
    expect(world.claim('apps/a')?.metadata.labels).toEqual({ ...scope, ...OURS });
  });

  test('is only what the other one exports, too', () => {
    const world = new RecoveryWorld('apps');
    for (const name of ['a', 'b']) world.has(aVolume(name));
    world.has(aVolume('c', {}, { labels: {} }));
    const targets = adoptable(world.seen(together({ volumes: [aVolume('a'), aVolume('c')] })));
    expect(targets.map(({ key }) => key)).toEqual(['a']);
  });
});

import { describe, expect, test } from 'vitest';
import { aDevice, knownOfVolume, seenVolume } from './builders.ts';
import type { Health } from './model.ts';
import { type KnownOfVolume, volumeShown } from './volumes.ts';

const device = (state: Parameters<typeof aDevice>[0]) => ({ node: 'node-1', status: aDevice(state) });
const logical = (state: NonNullable<KnownOfVolume['logical']>['status']['state'], node?: string) => ({
  node,
  status: { volume: 'a', size: '', state, stands: state.is },
});
const placement = (state: NonNullable<KnownOfVolume['placement']>['state']) => ({
  volume: 'a',
  claim: '',
  zone: '',
  region: '',
  state,
  why: 'because',
});
const refused = { is: 'refused', fact: 'x', why: 'is mounted', remedy: 'Unmount it', canBeApproved: false } as const;

describe('a volume is', () => {
  test.each<[Health, string, Partial<KnownOfVolume>]>([
    ['well', 'when nothing is wrong', {}],
    ['failed', 'when Kubernetes could not reclaim it', { volume: seenVolume({ phase: 'Failed' }) }],
    ['busy', 'while it is pending', { volume: seenVolume({ phase: 'Pending' }) }],
    ['busy', 'while it is deleted', { volume: seenVolume({ isDeleting: true }) }],
    ['well', 'when it was released and is kept', { volume: seenVolume({ phase: 'Released' }) }],
    ['busy', 'while its device is wiped', { device: device({ is: 'wiping', doneBytes: 1, ofBytes: 2 }) }],
    ['busy', 'when its device waits to be wiped', { device: device({ is: 'released' }) }],
    ['attention', 'when its device is refused', { device: device(refused) }],
    ['failed', 'when its device fails', { device: device({ is: 'failed', why: 'no' }) }],
    ['well', 'when its device is bound', { device: device({ is: 'bound' }) }],
    ['busy', 'while it is made', { logical: logical({ is: 'working', step: 'formatting' }, 'n') }],
    [
      'attention',
      'when it cannot be made',
      { logical: logical({ is: 'refused', fact: 'x', why: '', remedy: '' }, 'n') },
    ],
    ['unknown', 'when nobody reports of it', { logical: logical({ is: 'unreported', why: 'silence' }, 'n') }],
    ['attention', 'when its zone cannot be told', { placement: placement('usedInSeveralPlaces') }],
    ['busy', 'while it waits for its zone', { placement: placement('toBeLabelled') }],
    ['well', 'when nobody labels volumes here', { placement: placement('toBeLabelled'), isTopologyInUse: false }],
    ['well', 'when it has its zone', { placement: placement('alreadyRight') }],
    ['unknown', 'when the agent of its device is silent', { device: { ...device({ is: 'bound' }), doubt: 'silence' } }],
    [
      'unknown',
      'when nobody says how far its wipe is',
      { device: { ...device({ is: 'released' }), doubt: 'silence' } },
    ],
    ['failed', 'when its device failed', { device: { ...device({ is: 'failed', why: 'no' }), doubt: 'silence' } }],
    ['unknown', 'when its lvm agent is silent', { logical: { ...logical({ is: 'ready' }, 'n'), doubt: 'silence' } }],
    ['unknown', 'when who uses it cannot be seen', { volume: seenVolume({ claim: 'ns/c' }), canBePlaced: false }],
    ['well', 'when nobody can use it', { canBePlaced: false }],
    [
      'well',
      'when nobody can see who uses it, and nobody labels volumes',
      { volume: seenVolume({ claim: 'ns/c' }), canBePlaced: false, isTopologyInUse: false },
    ],
  ])('%s %s', (health, _when, parts) => {
    expect(volumeShown(knownOfVolume(parts)).row.health).toBe(health);
  });

  test('shown with what is worst about it', () => {
    const { row } = volumeShown(knownOfVolume({ device: device(refused), placement: placement('toBeLabelled') }));
    expect(row).toMatchObject({ health: 'attention', note: 'refused', source: 'device', node: 'node-1' });
  });
});

test.each<[string, Partial<KnownOfVolume>, object]>([
  ['a disk', { volume: seenVolume({ isLocalDisk: true }) }, { source: 'device' }],
  ['a logical volume', { logical: logical({ is: 'ready' }, 'n') }, { source: 'lvm', node: 'n' }],
  ['one of a pool', { isOfPool: true }, { source: 'pool' }],
  ['any other', {}, { source: 'other' }],
  ['only labelled', { volume: seenVolume({ isToBeExported: true }) }, { sync: 'to be exported' }],
  ['in an export', { isExported: true }, { sync: 'exported' }],
  ['restored', { volume: seenVolume({ restoredFor: 'site', isToBeExported: true }) }, { sync: 'restored' }],
])('a volume that is %s says so', (_what, parts, row) => {
  expect(volumeShown(knownOfVolume(parts)).row).toMatchObject(row);
});

test('of pods the first few are named, and their node if there is one only', () => {
  const pods = Array.from({ length: 7 }, (_, index) => ({ pod: `ns/p-${index}`, node: 'n' }));
  expect(volumeShown(knownOfVolume({ pods })).row).toMatchObject({ pods: { length: 5 }, node: 'n' });
  expect(volumeShown(knownOfVolume({ pods: [...pods, { pod: 'ns/q', node: 'm' }] })).row).not.toHaveProperty('node');
  expect(volumeShown(knownOfVolume()).row).not.toHaveProperty('pods');
});

describe('a person is needed', () => {
  test('at once for a volume that failed', () => {
    const { needs } = volumeShown(knownOfVolume({ volume: seenVolume({ phase: 'Failed' }) }));
    expect(needs).toMatchObject([{ severity: 'urgent', link: '#/volumes/a', command: 'kubectl describe pv a' }]);
  });

  test('for a zone that cannot be told, with the reason', () => {
    const { needs } = volumeShown(knownOfVolume({ placement: placement('nodeValueIsUnusable') }));
    expect(needs).toMatchObject([{ job: 'topology', severity: 'soon', remedy: 'Because.' }]);
  });

  test('for a volume that no node makes', () => {
    const { needs } = volumeShown(knownOfVolume({ logical: logical({ is: 'unreported', why: 'no node' }) }));
    expect(needs).toMatchObject([{ job: 'lvm', what: 'No node makes the volume a: no node.' }]);
  });

  test('for nothing else', () => {
    for (const state of ['alreadyRight', 'noPodUsesIt', 'toBeLabelled'] as const)
      expect(volumeShown(knownOfVolume({ placement: placement(state) })).needs).toEqual([]);
  });
});

test.each([
  [{ is: 'working', step: 'formatting' }, { kind: 'make' }],
  [{ is: 'working', step: 'growing the filesystem' }, { kind: 'grow' }],
  [
    { is: 'removing', step: 'shredding', percent: 25 },
    { kind: 'remove', progress: 0.25 },
  ],
] as const)('what is done with a logical volume is an activity: %o', (state, activity) => {
  expect(volumeShown(knownOfVolume({ logical: logical(state, 'n') })).activities).toMatchObject([activity]);
});

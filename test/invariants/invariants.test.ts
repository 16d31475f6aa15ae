/** Each invariant holds for what is right, and says in a sentence what is wrong. */
import { describe, expect, test } from 'vitest';
import { onlyTheLeaderWrites, theEndIsTheSame, theWriteBudgetIsKept } from './any-job.ts';
import {
  aDeviceInUseIsNeverWritten,
  aVolumeIsDeletedOnlyWhenItIsReleased,
  aVolumeIsMadeOnlyOfACleanDevice,
  nobodyGetsAnothersData,
} from './devices.ts';
import {
  aFilesystemIsMadeOnlyOnWhatIsNew,
  aLogicalVolumeGoesOnlyAfterItsVolumeWasDeleted,
  aLogicalVolumeIsMadeOnce,
  nothingIsLeftOfADeletedVolume,
  onlyWhatIsReadyIsMountedWhereItBelongs,
  whatWasWrittenIsThere,
} from './lvm.ts';
import {
  aClaimIsDeletedOnlyWhenItIsEmpty,
  anAcknowledgedBlobIsNeverLost,
  replicasDropOnlyAfterEveryLeavingAgentIsEmpty,
} from './pool.ts';
import {
  aRestoredVolumeGoesOnlyAfterItsOriginal,
  theSitesAreEqual,
  theStoreIsLeftInPeace,
  twoWritersNeverBothMoveThePointer,
} from './sync.ts';
import {
  aVolumeIsOnlySaidToBeWhereItWasUsed,
  aVolumeSaysWhereItIsUsed,
  aZoneIsNeverGivenUpWhileItIsUsed,
} from './topology.ts';

const UNUSED = { device: 'sda', isOpen: false, tenant: undefined, bound: [] };
const CLEAN = { volume: 'pv', device: 'sda', isClean: true, others: [] };
const MADE = { volume: 'lv', isMarked: true, isHeld: true, count: 1 };
const NEW = { volume: 'lv', data: undefined, timesFormatted: 0, isNew: true };
const MOUNTED = { volume: 'lv', path: '/mnt', isCovering: false, belongs: true, isAnothers: false, isReady: true };
const MOVE = { writer: 'a', epoch: 1, sequence: 1, isConditional: true };
const counts = (count: number) => new Map([['lvm', count]]);
const budget = { times: 2, more: 5 };

describe('an invariant that holds says nothing', () => {
  test.each<[string, readonly string[]]>([
    ['the leader writes', onlyTheLeaderWrites({ writer: 'a', holder: 'a', call: 'PATCH pv' })],
    ['the end is the same', theEndIsTheSame({ pv: 1 }, { pv: 1 })],
    ['the budget is kept', theWriteBudgetIsKept(counts(25), counts(10), budget)],
    ['nobody uses the device', aDeviceInUseIsNeverWritten(UNUSED)],
    ['the device is clean', aVolumeIsMadeOnlyOfACleanDevice(CLEAN)],
    ['the volume is released', aVolumeIsDeletedOnlyWhenItIsReleased('pv', 'Released')],
    ['his data are there', nobodyGetsAnothersData({ volume: 'pv', isBound: true, isIntact: true, isClean: false })],
    ['its volume was deleted', aLogicalVolumeGoesOnlyAfterItsVolumeWasDeleted('lv is removed', true)],
    ['it is made once', aLogicalVolumeIsMadeOnce(MADE)],
    ['it is new', aFilesystemIsMadeOnlyOnWhatIsNew(NEW)],
    ['it belongs there', onlyWhatIsReadyIsMountedWhereItBelongs(MOUNTED)],
    ['it is there', whatWasWrittenIsThere({ volume: 'lv', written: 'data', found: 'data' })],
    ['nothing is left', nothingIsLeftOfADeletedVolume([])],
    ['who leaves is empty', replicasDropOnlyAfterEveryLeavingAgentIsEmpty({ from: 3, to: 2, blobsOf: () => 0 })],
    ['who stays is not', replicasDropOnlyAfterEveryLeavingAgentIsEmpty({ from: 2, to: 3, blobsOf: () => 9 })],
    ['the claim is empty', aClaimIsDeletedOnlyWhenItIsEmpty('claim', 0)],
    ['all are found', anAcknowledgedBlobIsNeverLost(['a'], new Set(['a', 'b']))],
    ['the original is gone', aRestoredVolumeGoesOnlyAfterItsOriginal('pv', false)],
    ['one writer after another', twoWritersNeverBothMoveThePointer([MOVE, { ...MOVE, writer: 'b', epoch: 2 }])],
    ['the sites are equal', theSitesAreEqual(['pv'], ['pv'])],
    ['the store is seldom called', theStoreIsLeftInPeace(20, 10, 2)],
    ['it was used there', aVolumeIsOnlySaidToBeWhereItWasUsed({ volume: 'pv', zones: ['a'], used: new Set(['a']) })],
    ['nobody is there', aZoneIsNeverGivenUpWhileItIsUsed({ volume: 'pv', before: ['a'], after: [], used: new Set() })],
    ['it says so', aVolumeSaysWhereItIsUsed({ volume: 'pv', zone: 'a', label: 'a' })],
  ])('%s', (_, wrong) => {
    expect(wrong).toEqual([]);
  });
});

describe('an invariant that does not hold says why', () => {
  test.each<[readonly string[], string]>([
    [onlyTheLeaderWrites({ writer: 'a', holder: 'b', call: 'PATCH pv' }), 'a writes (PATCH pv), and b leads'],
    [onlyTheLeaderWrites({ writer: 'a', holder: undefined, call: 'PATCH pv' }), 'and nobody leads'],
    [theEndIsTheSame({ pv: 1 }, { pv: 2 }), 'the end is {"pv":1}, and undisturbed it is {"pv":2}'],
    [theWriteBudgetIsKept(counts(26), counts(10), budget), 'lvm wrote 26 times, undisturbed 10'],
    [theWriteBudgetIsKept(counts(6), new Map(), budget), 'lvm wrote 6 times, undisturbed 0'],
    [aDeviceInUseIsNeverWritten({ ...UNUSED, isOpen: true }), 'sda is written to while it is in use'],
    [aDeviceInUseIsNeverWritten({ ...UNUSED, tenant: 'tenant' }), "while it is tenant's"],
    [aDeviceInUseIsNeverWritten({ ...UNUSED, bound: ['pv'] }), 'while pv is bound'],
    [aVolumeIsMadeOnlyOfACleanDevice({ ...CLEAN, isClean: false }), 'which is not clean'],
    [aVolumeIsMadeOnlyOfACleanDevice({ ...CLEAN, others: ['other'] }), 'which is the disk of other'],
    [aVolumeIsDeletedOnlyWhenItIsReleased('pv', 'Bound'), 'pv is deleted while it is Bound'],
    [
      nobodyGetsAnothersData({ volume: 'pv', isBound: true, isIntact: false, isClean: true }),
      'the data on pv are gone',
    ],
    [nobodyGetsAnothersData({ volume: 'pv', isBound: false, isIntact: true, isClean: false }), "somebody's data on it"],
    [aLogicalVolumeGoesOnlyAfterItsVolumeWasDeleted('lv is removed', false), 'nobody has deleted its volume'],
    [aLogicalVolumeIsMadeOnce({ ...MADE, isMarked: false }), 'made without a mark'],
    [aLogicalVolumeIsMadeOnce({ ...MADE, isHeld: false }), 'before its object is held'],
    [aLogicalVolumeIsMadeOnce({ ...MADE, count: 2 }), 'there are 2 logical volumes for lv'],
    [aFilesystemIsMadeOnlyOnWhatIsNew({ ...NEW, data: 'data' }), 'lv is formatted over data'],
    [aFilesystemIsMadeOnlyOnWhatIsNew({ ...NEW, timesFormatted: 1 }), 'a second time'],
    [aFilesystemIsMadeOnlyOnWhatIsNew({ ...NEW, isNew: false }), 'it is not new'],
    [onlyWhatIsReadyIsMountedWhereItBelongs({ ...MOUNTED, isCovering: true }), 'something is mounted over at /mnt'],
    [onlyWhatIsReadyIsMountedWhereItBelongs({ ...MOUNTED, belongs: false }), 'where it does not belong'],
    [onlyWhatIsReadyIsMountedWhereItBelongs({ ...MOUNTED, isAnothers: true }), 'what another one had'],
    [onlyWhatIsReadyIsMountedWhereItBelongs({ ...MOUNTED, isReady: false }), 'before it is marked as ready'],
    [whatWasWrittenIsThere({ volume: 'lv', written: 'data', found: undefined }), 'data of lv is lost'],
    [nothingIsLeftOfADeletedVolume(['lv']), 'lv is left over'],
    [
      replicasDropOnlyAfterEveryLeavingAgentIsEmpty({ from: 3, to: 1, blobsOf: (ordinal) => (ordinal === 2 ? 4 : 0) }),
      'the agent 2 is let go with 4 blobs',
    ],
    [aClaimIsDeletedOnlyWhenItIsEmpty('claim', 1), 'claim is deleted with 1 blobs on it'],
    [anAcknowledgedBlobIsNeverLost(['a', 'b'], new Set(['b'])), '1 blobs are lost: a'],
    [aRestoredVolumeGoesOnlyAfterItsOriginal('pv', true), 'pv is deleted at the recovery site'],
    [twoWritersNeverBothMoveThePointer([MOVE, { ...MOVE, writer: 'b' }]), 'b and a both write the pointer in epoch 1'],
    [twoWritersNeverBothMoveThePointer([{ ...MOVE, isConditional: false }]), 'whatever is there'],
    [twoWritersNeverBothMoveThePointer([{ ...MOVE, epoch: 2 }, MOVE]), 'the epoch goes down from 2 to 1'],
    [twoWritersNeverBothMoveThePointer([{ ...MOVE, sequence: 2 }, MOVE]), 'the sequence goes down from 2 to 1'],
    [theSitesAreEqual(['pv'], []), 'the recovery site has [], and the protected one ["pv"]'],
    [theStoreIsLeftInPeace(21, 10, 2), 'the store is called 21 times in 10 minutes'],
    [
      aVolumeIsOnlySaidToBeWhereItWasUsed({ volume: 'pv', zones: ['a', 'b'], used: new Set(['a']) }),
      'pv is said to be in b',
    ],
    [
      aZoneIsNeverGivenUpWhileItIsUsed({ volume: 'pv', before: ['a', 'b'], after: ['a'], used: new Set(['b']) }),
      'pv is no longer said to be in b',
    ],
    [aVolumeSaysWhereItIsUsed({ volume: 'pv', zone: 'a', label: undefined }), 'pv is used in a and says undefined'],
  ])('%s', (wrong, sentence) => {
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain(sentence);
  });
});

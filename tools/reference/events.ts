/** Every Event of each job: made by the code itself of an example, and told when by what explains its reason. */
import { codesNamed } from '../../src/commands/explain/codes.ts';
import type { Job } from '../../src/commands/jobs.ts';
import { EACH_REFUSAL } from '../../src/devices/builders.ts';
import * as devices from '../../src/devices/events.ts';
import { explained as devicesExplained } from '../../src/devices/explanations.ts';
import type { Trouble } from '../../src/devices/standings.ts';
import type { Occurrence } from '../../src/kit/observe/event.ts';
import * as lvm from '../../src/lvm/events.ts';
import { explained as lvmExplained } from '../../src/lvm/explanations.ts';
import * as pool from '../../src/pool/events.ts';
import { FACTS as POOL_FACTS, type Fact as PoolFact } from '../../src/pool/reasons.ts';
import type { PersistentVolumeSync } from '../../src/sync/contract.ts';
import * as sync from '../../src/sync/events.ts';
import { explained as syncExplained } from '../../src/sync/explanations.ts';
import type { EventReason as SyncEventReason } from '../../src/sync/reasons.ts';
import { EVERY_DOUBT } from '../../src/sync/recover/found.ts';
import { EVERY_FACT as SYNC_REFUSALS } from '../../src/sync/recover/refusals.ts';
import * as topology from '../../src/topology/events.ts';
import { code, table } from './table.ts';

/** One example of each reason that there is: what has none does not compile. */
type Examples<Reason extends string> = Readonly<Record<Reason, Occurrence | undefined>>;

const ABOUT = { name: 'data-0', uid: 'uid' };
const NODE = { name: 'worker-1', uid: 'uid' };

const VOLUME = { ...ABOUT, labels: {}, writers: {}, accessModes: [], hasNodeAffinity: false };
const DIFFERENCE = { key: 'zone', is: 'a', wanted: 'b', writer: 'someone' };
const DIFFERENCES = [DIFFERENCE];

const OF_TOPOLOGY: Examples<topology.EventReason> = {
  TopologyConflict: topology.leftAlone(VOLUME, { fact: 'anotherValueIsKept', differences: DIFFERENCES }),
  TopologyUnusable: warned('TopologyUnusable'),
  TopologyIncomplete: warned('TopologyIncomplete'),
  TopologyTooLong: warned('TopologyTooLong'),
  TopologySkipped: warned('TopologySkipped'),
  TopologyReplaced: topology.replaced(VOLUME, DIFFERENCES),
  TopologyContested: topology.contested(VOLUME),
  TopologyFailed: topology.failed(VOLUME, 'why'),
  TopologyMissing: topology.nodeWithoutTopology(NODE.name, NODE.uid),
};

/** All that is left alone is told in the same way. */
function warned(reason: topology.EventReason): Occurrence | undefined {
  const told = topology.leftAlone(VOLUME, { fact: 'anotherValueIsKept', differences: DIFFERENCES });
  return told && { ...told, reason };
}

const RECEIPT = {
  method: 'zero-head',
  bytes: 1,
  writtenBytes: 1,
  seconds: 1,
  verified: 'all',
  verifiedBytes: 1,
  at: '',
} as const;

const OF_DEVICES: Examples<devices.EventReason> = {
  DeviceProvisioned: devices.made(ABOUT, '/dev/sdb'),
  DeviceWipeStarted: devices.wipeBegins(ABOUT, '/dev/sdb', 'zero'),
  DeviceWiped: devices.wiped(ABOUT, '/dev/sdb', RECEIPT),
  DeviceWipeFailed: devices.failed(ABOUT, NODE, '/dev/sdb', 'why'),
  DevicesConfigurationWrong: devices.configurationIsWrong(NODE, 'ssd', 'why'),
  DevicesConfigurationIgnored: devices.configurationWarning(NODE, 'ssd', 'why'),
  DevicesApprovalsWrong: devices.approvalsAreWrong(NODE, 'why'),
  DevicesApprovalUsed: devices.approvalUsed(NODE, '/dev/sdb', 'why'),
};

/** A refusal is told on the volume, or on the Node while there is none. */
const deviceTroubles = (): readonly Occurrence[] =>
  devicesExplained
    .filter(({ code: fact, kind }) => fact in EACH_REFUSAL || (kind === 'refused' && /^[a-z]/.test(fact)))
    .map(({ code: fact }) =>
      devices.refused(ABOUT, NODE, { fact: fact as Trouble, path: '/dev/sdb', why: 'why', remedy: 'what' }),
    );

const poolFills = (measure: 'data' | 'metadata' | 'promised') =>
  lvm.poolIsFilling(NODE, { measure, pool: 'fast/pool', percent: 90, isClosed: false });

const OF_LVM: Examples<lvm.EventReason> = {
  VolumeReady: lvm.ready(ABOUT, '/mnt/pv/data', 'worker-1'),
  VolumeReleased: lvm.released(ABOUT, 'shop/data'),
  VolumeRemoved: lvm.removed(ABOUT, 'worker-1'),
  VolumeOptionIgnored: lvm.warned(ABOUT, 'why'),
  VolumeFailed: lvm.failed(ABOUT, 'why'),
  VolumeOrphans: lvm.orphansFound(NODE, 'what'),
  VolumeTrashEmptied: lvm.trashEmptied(NODE, 'fast/data'),
  ThinPoolNearlyFull: poolFills('data'),
  ThinPoolMetadataNearlyFull: poolFills('metadata'),
  ThinPoolOvercommitted: poolFills('promised'),
};

const lvmTroubles = (): readonly Occurrence[] =>
  lvmExplained.filter(({ code: fact }) => /^[a-z]/.test(fact)).map(({ code: fact }) => lvm.refused(ABOUT, fact, 'why'));

const POOL = { metadata: ABOUT, spec: { image: 'i', numPVs: 3, pvSizeGB: 1 } };

const OF_POOL: Examples<pool.EventReason> = {
  ScaledUp: pool.raised(POOL, 2, 3),
  ScaleDownBegan: pool.began(POOL, 3, 2),
  ScaledDown: pool.lowered(POOL, 3, 2),
  ScaleDownCancelled: pool.cancelled(POOL),
  RolloutBegan: pool.rolling(POOL),
  Autoscaled: pool.autoscaled(POOL, 3),
  ClaimDeleted: pool.claimDeleted(POOL, 'vol-photos-sts-2'),
};

const poolTroubles = (): readonly Occurrence[] =>
  (Object.keys(POOL_FACTS) as PoolFact[])
    .filter((fact) => POOL_FACTS[fact] === 'degraded')
    .map((fact) => pool.wrong(POOL, { fact, message: 'why' }));

const SYNC: PersistentVolumeSync = {
  metadata: ABOUT,
  spec: { protectedCluster: 'prod', mode: 'Protected', cloudProvider: 's3', retention: 1 },
};

const OF_SYNC: Examples<SyncEventReason> = {
  Restored: sync.restored(SYNC, 'Restored', 'what'),
  Released: sync.released(SYNC, 'Released', 'what'),
  Recovered: sync.well(SYNC, 'Recovered', 'what'),
};

/** The reasons of its conditions: those that begin with a capital, and the facts that keep objects and exports from being restored. */
const syncTroubles = (): readonly Occurrence[] =>
  syncExplained
    .filter(({ kind }) => kind !== 'news')
    .filter(({ code: fact }) => /^[A-Z]/.test(fact) || [...SYNC_REFUSALS, ...EVERY_DOUBT].some((each) => each === fact))
    .map(({ code: fact }) => sync.wrong(SYNC, `${fact.charAt(0).toUpperCase()}${fact.slice(1)}`, 'why'));

const TOLD: Readonly<Record<Job, () => readonly (Occurrence | undefined)[]>> = {
  topology: () => Object.values(OF_TOPOLOGY),
  devices: () => [...Object.values(OF_DEVICES), ...deviceTroubles()],
  lvm: () => [...Object.values(OF_LVM), ...lvmTroubles()],
  pool: () => [...Object.values(OF_POOL), ...poolTroubles()],
  sync: () => [...Object.values(OF_SYNC), ...syncTroubles()],
};

export const eventTable = (job: Job): string =>
  table(
    ['reason', 'type', 'on', 'action', 'when'],
    TOLD[job]().map((occurrence) => {
      if (!occurrence) throw new Error(`an example of an Event of ${job} is none`);
      const { reason, type, regarding, action } = occurrence;
      const explained = codesNamed(reason).find((each) => each.job === job);
      if (!explained) throw new Error(`nothing explains the reason ${reason} of ${job}`);
      return [code(reason), type, regarding.kind, action, explained.means.replace(/\.$/, '').replaceAll('|', '\\|')];
    }),
  );

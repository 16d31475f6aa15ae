import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { aConfig, aReceipt, EACH_REFUSAL } from './builders.ts';
import { devicesMetrics } from './metrics.ts';
import type { Refusal } from './refusals.ts';
import { Report } from './report.ts';
import { Standings } from './standings.ts';
import { grievanceOf, type Subject } from './subject.ts';

const PATH = '/dev/disks/b';
const subject: Subject = {
  name: 'local-n1-b',
  path: PATH,
  volume: { name: 'local-n1-b', uid: 'uid-1', claim: 'default/data' },
  identity: { sizeBytes: 5, wwid: 'naa.1' },
  device: 'wwid:naa.1',
};
const { volume: _, ...withoutVolume } = subject;
const receipt = aReceipt(5);
const mounted = (at: string) => grievanceOf({ fact: 'isMounted', at, under: '' }, 'n1', PATH);
const foreign = grievanceOf(EACH_REFUSAL.hasForeignData, 'n1', PATH);

function aReport({ isNodeKnown = true } = {}) {
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const standings = new Standings();
  const events: Occurrence[] = [];
  const registry = new Registry();
  const report = new Report({
    recorder: { record: (event) => void events.push(event) },
    metrics: devicesMetrics(registry, standings, 'n1'),
    standings,
    log,
    clock,
    node: () => (isNodeKnown ? { name: 'n1', uid: 'uid-of-n1' } : undefined),
  });
  const value = async (name: string) => (await registry.getSingleMetric(name)?.get())?.values;
  return { report, clock, log, standings, events, value };
}

describe('that a device is in use', () => {
  it('and is not any more within ten seconds is told to nobody', async () => {
    const { report, clock, log, standings, events } = aReport();
    expect(report.refused(subject, mounted('/data'))).toBe(false);
    await clock.advance(9_999);
    expect(report.refused(subject, mounted('/data'))).toBe(false);
    report.stands(subject, { is: 'released' });
    await clock.advance(60_000);
    expect(report.refused(subject, mounted('/data'))).toBe(false);
    expect(events).toEqual([]);
    expect(log.lines).toEqual([]);
    expect(standings.get('local-n1-b')?.state).toMatchObject({ is: 'refused', fact: 'isMounted' });
  });

  it('for ten seconds is told once, and again when it is otherwise', async () => {
    const { report, clock, log, events } = aReport();
    report.refused(subject, mounted('/data'));
    await clock.advance(10_000);
    expect(report.refused(subject, mounted('/data'))).toBe(true);
    expect(report.refused(subject, mounted('/data'))).toBe(true);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ reason: 'DeviceIsMounted', note: expect.stringContaining('mounted at /data') });
    expect(log.at('warn')).toHaveLength(1);
    report.refused(subject, mounted('/other'));
    expect(events).toHaveLength(2);
  });

  it('in another way begins anew', async () => {
    const { report, clock } = aReport();
    report.refused(subject, mounted('/data'));
    await clock.advance(10_000);
    expect(report.refused(subject, grievanceOf(EACH_REFUSAL.isOpen, 'n1', PATH))).toBe(false);
  });
});

it('how a device stands is noted with the partitions that it has now, not with those of before', () => {
  const { report, standings } = aReport();
  const partitioned = { partitions: [{ name: 'sdb1', startBytes: 1, sizeBytes: 2 }], partitionCount: 1 };
  report.stands({ ...subject, ...partitioned }, { is: 'bound' });
  expect(standings.get('local-n1-b')).toMatchObject(partitioned);
  report.stands(subject, { is: 'bound' });
  expect(standings.get('local-n1-b')).toMatchObject({ partitions: undefined, partitionCount: undefined });
});

describe('what does not pass by itself', () => {
  const lasting = Object.values<Refusal>(EACH_REFUSAL).filter(
    ({ fact }) => !/^is(Mounted|Swap|BehindALoop|Exported|Open|HeldEx)|^hasHolders/.test(fact),
  );

  it.each(lasting)('is told at once: $fact', (refusal) => {
    const { report, events } = aReport();
    expect(report.refused(subject, grievanceOf(refusal, 'n1', PATH))).toBe(true);
    expect(events).toHaveLength(1);
  });

  it('is told on the volume, or on the Node where there is none', () => {
    const { report, events } = aReport();
    report.refused(subject, foreign);
    report.refused({ ...withoutVolume, name: 'local-n1-c' }, foreign);
    expect(events.map(({ regarding }) => regarding.kind)).toEqual(['PersistentVolume', 'Node']);
  });

  it('is told to the log alone while the cluster does not know the Node', () => {
    const { report, events, log } = aReport({ isNodeKnown: false });
    report.refused(withoutVolume, foreign);
    report.failed(withoutVolume, 'it burns');
    expect(events).toEqual([]);
    expect(log.at('warn')).toHaveLength(2);
  });
});

describe('that a device fails', () => {
  it('is told once, until it has stood otherwise', () => {
    const { report, events } = aReport();
    report.failed(subject, 'it burns');
    report.failed(subject, 'it still burns');
    expect(events).toHaveLength(1);
    report.stands(subject, { is: 'available' });
    report.failed(subject, 'again');
    expect(events).toHaveLength(2);
  });

  it('stays known while it waits for its next turn', () => {
    const { report, standings } = aReport();
    report.failed(subject, 'it burns');
    report.waits(subject, { is: 'released' });
    expect(standings.get('local-n1-b')?.state.is).toBe('failed');
    report.wiping(subject, 1, 5);
    expect(standings.get('local-n1-b')?.state).toEqual({ is: 'wiping', doneBytes: 1, ofBytes: 5 });
    report.waits(subject, { is: 'released' });
    expect(standings.get('local-n1-b')?.state.is).toBe('released');
  });
});

describe('how a device stands', () => {
  it('is forgotten when there is neither a device nor a volume', () => {
    const { report, standings } = aReport();
    report.stands(subject, { is: 'bound' });
    expect(standings.values()).toMatchObject([
      { path: PATH, sizeBytes: 5, device: 'wwid:naa.1', claim: 'default/data' },
    ]);
    report.gone('local-n1-b');
    expect(standings.values()).toEqual([]);
  });

  it('keeps which device it is while that cannot be seen', () => {
    const { report, standings } = aReport();
    report.stands(subject, { is: 'bound' });
    report.refused({ name: subject.name, path: PATH }, foreign);
    expect(standings.get('local-n1-b')).toMatchObject({ sizeBytes: 5, device: 'wwid:naa.1' });
  });
});

describe('what is done', () => {
  it('is told in Events in the order in which it happens', () => {
    const { report, events } = aReport();
    report.wipeBegins(subject, aConfig());
    report.wiped(subject, receipt);
    report.made(withoutVolume, { name: 'local-n1-b', uid: 'uid-2' });
    report.approvalUsed(subject, EACH_REFUSAL.hasForeignData);
    expect(events.map(({ reason }) => reason)).toEqual([
      'DeviceWipeStarted',
      'DeviceWiped',
      'DeviceProvisioned',
      'DevicesApprovalUsed',
    ]);
  });

  it.each([
    [{}, '5 bytes written and samples of 5 bytes read back'],
    [
      { method: 'discard', bytes: 500, writtenBytes: 100, verified: 'all', verifiedBytes: 100 },
      '500 bytes discarded, 100 bytes written and all of them read back',
    ],
  ] as const)('is not said to be read back where it was not (%o)', (parts, words) => {
    const { report, events } = aReport();
    report.wiped(subject, { ...receipt, ...parts });
    expect(events[0]?.note).toContain(words);
  });

  it('is counted', async () => {
    const { report, value } = aReport();
    report.wrote('zero-head', 5);
    report.wipeEnded('zero-head', 'verified', 2);
    expect(await value('holdfast_devices_wiped_bytes_total')).toContainEqual({
      labels: { method: 'zero-head' },
      value: 5,
    });
    expect(await value('holdfast_devices_wipe_seconds')).toContainEqual(
      expect.objectContaining({ metricName: 'holdfast_devices_wipe_seconds_sum', value: 2 }),
    );
  });
});

describe('what a look at the node shows', () => {
  const nothing = { byVolume: new Map(), paths: new Map(), unseen: [] };

  it('is told once for each thing that is wrong with the configuration', async () => {
    const { report, events, log, value } = aReport();
    const stock = { ...nothing, configuration: { is: 'wrong', configMap: 'disks', faults: ['a', 'b'] } } as const;
    report.looked(stock);
    report.looked(stock);
    expect(events.map(({ reason, regarding }) => [reason, regarding.kind])).toEqual([
      ['DevicesConfigurationWrong', 'Node'],
      ['DevicesConfigurationWrong', 'Node'],
    ]);
    expect(log.at('warn')).toHaveLength(2);
    expect(await value('holdfast_devices_configuration_faults')).toMatchObject([{ value: 2 }]);
  });

  it('is a clear line, and no Event, where nobody asks for anything', async () => {
    const { report, events, log, value } = aReport();
    report.looked({ ...nothing, configuration: { is: 'none', why: 'there is no annotation' } });
    expect(events).toEqual([]);
    expect(log.at('info')).toHaveLength(1);
    expect(await value('holdfast_devices_configuration_faults')).toMatchObject([{ value: 0 }]);
  });

  it('is what is wrong again after it was put right', () => {
    const { report, events } = aReport();
    const wrong = { is: 'wrong', configMap: 'c', faults: ['deviceDir is missing'] } as const;
    for (const configuration of [wrong, wrong, { is: 'none', why: 'nobody asks' } as const, wrong])
      report.looked({ ...nothing, configuration });
    expect(events.map(({ reason }) => reason)).toEqual(['DevicesConfigurationWrong', 'DevicesConfigurationWrong']);
  });

  it('is what could not be looked at', () => {
    const { report, log } = aReport();
    const configuration = { is: 'none', why: 'so' } as const;
    report.looked({ ...nothing, configuration, unseen: ['/dev/disks/x: permission denied'] });
    report.looked({ ...nothing, configuration, unseen: ['/dev/disks/x: permission denied'] });
    expect(log.at('warn')).toHaveLength(1);
  });

  it('is that approvals cannot be read', () => {
    const { report, events } = aReport();
    report.approvalsAreWrong('it is no JSON');
    report.approvalsAreWrong('it is no JSON');
    expect(events.map(({ reason }) => reason)).toEqual(['DevicesApprovalsWrong']);
  });
});

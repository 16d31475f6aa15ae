import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { answer, type FakeAnswer, FakeTransport, refusal } from '../kit/kube/fake-transport.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { aConfig, EACH_REFUSAL } from './builders.ts';
import { devicesMetrics } from './metrics.ts';
import { Progress } from './progress.ts';
import { Report } from './report.ts';
import { Standings } from './standings.ts';
import type { Subject } from './subject.ts';
import { volumeOf } from './volume.ts';

const PATH = '/api/v1/persistentvolumes/local-n1-b';
const config = aConfig({ wipeMethod: 'zero-all' });
const volume = volumeOf({ metadata: { name: 'local-n1-b', uid: 'uid-1', resourceVersion: '7' } });

function aProgress({ isOfAVolume = true } = {}) {
  const ofVolume = isOfAVolume ? volume : undefined;
  const clock = new VirtualClock();
  const transport = new FakeTransport().on('PATCH', PATH, ({ body }) => answer(200, body));
  const standings = new Standings();
  const registry = new Registry();
  const log = new RecordingLog();
  const events: Occurrence[] = [];
  const report = new Report({
    recorder: { record: (event) => void events.push(event) },
    metrics: devicesMetrics(registry, standings, 'n1'),
    standings,
    log,
    clock,
    node: () => ({ name: 'n1', uid: 'uid-of-n1' }),
  });
  const client = new KubeClient({ transport, clock, random: () => 0 });
  const subject: Subject = { name: 'local-n1-b', path: '/dev/disks/b', volume: ofVolume };
  const progress = new Progress(
    subject,
    config,
    { client, clock, report, stopping: new AbortController().signal },
    ofVolume,
  );
  const wrote = async () => (await registry.getSingleMetric('holdfast_devices_wiped_bytes_total')?.get())?.values;
  const took = async () => (await registry.getSingleMetric('holdfast_devices_wipe_seconds')?.get())?.values;
  return { progress, clock, transport, standings, events, log, wrote, took };
}

const notes = (transport: FakeTransport) =>
  transport
    .bodies<{ metadata: { annotations: Record<string, string> } }>('PATCH')
    .map(({ metadata }) => metadata.annotations['holdfast.dev/wipe-progress']);

describe('while a device is wiped', () => {
  it('each step is in the standings, and every fifteen seconds one is on the volume and in the log', async () => {
    const { progress, clock, transport, standings, log } = aProgress();
    progress.onBegin();
    for (let second = 0; second <= 40; second++) {
      progress.onProgress(second * 10, 1000);
      expect(standings.get('local-n1-b')?.state).toEqual({ is: 'wiping', doneBytes: second * 10, ofBytes: 1000 });
      await clock.advance(1_000);
    }
    await progress.end('verified');
    expect(notes(transport)).toEqual(['zero-all: 15 % of 1000 bytes', 'zero-all: 30 % of 1000 bytes']);
    expect(transport.bodies('PATCH')[0]).toMatchObject({ metadata: { uid: 'uid-1' } });
    const told = log.lines.filter(({ message }) => message === 'still wiping the device');
    expect(told.map(({ fields }) => fields.percent)).toEqual([15, 30]);
  });

  it('nothing is written to the API when there is no volume yet', async () => {
    const { progress, clock, transport, events } = aProgress({ isOfAVolume: false });
    progress.onBegin();
    await clock.advance(60_000);
    progress.onProgress(10, 1000);
    await progress.end('verified');
    expect(transport.journal).toEqual([]);
    expect(events).toEqual([]);
  });

  it('what an earlier attempt has done is not counted again', async () => {
    const { progress, wrote } = aProgress();
    progress.onBegin();
    progress.onProgress(700, 1000);
    progress.onProgress(900, 1000);
    progress.onProgress(1000, 1000);
    expect(await wrote()).toContainEqual({ labels: { method: 'zero-all' }, value: 300 });
  });

  it('a note that is refused or lost changes nothing', async () => {
    const { progress, clock, transport } = aProgress();
    transport.on('PATCH', PATH, refusal(409, 'Conflict', 'no'), new Error('gone'));
    progress.onBegin();
    for (const doneBytes of [10, 20]) {
      await clock.advance(15_000);
      progress.onProgress(doneBytes, 1000);
    }
    await progress.end('verified');
    expect(notes(transport)).toHaveLength(2);
  });

  it('a note that takes long is not overtaken, and the end waits for it', async () => {
    const { progress, clock, transport } = aProgress();
    const { promise, resolve } = Promise.withResolvers<FakeAnswer>();
    transport.on('PATCH', PATH, () => promise);
    progress.onBegin();
    for (const doneBytes of [10, 20]) {
      await clock.advance(15_000);
      progress.onProgress(doneBytes, 1000);
    }
    let hasEnded = false;
    const ended = progress.end('verified').then(() => {
      hasEnded = true;
    });
    await clock.advance(0);
    expect([notes(transport).length, hasEnded]).toEqual([1, false]);
    resolve(answer(200, {}));
    await ended;
  });
});

describe('the end of a wipe', () => {
  it.each(['verified', 'failed'] as const)('that %s is counted with the time that it took', async (outcome) => {
    const { progress, clock, took } = aProgress();
    progress.onBegin();
    expect(progress.hasBegun).toBe(true);
    await clock.advance(3_000);
    await progress.end(outcome);
    expect(await took()).toContainEqual(
      expect.objectContaining({
        metricName: 'holdfast_devices_wipe_seconds_sum',
        value: 3,
        labels: { method: 'zero-all', outcome },
      }),
    );
  });

  it('is not counted when it has not begun', async () => {
    const { progress, took } = aProgress();
    await progress.end('failed');
    expect(progress.hasBegun).toBe(false);
    expect(await took()).toEqual([]);
  });

  it('is preceded by what a person approved, if that was needed', () => {
    const { progress, events } = aProgress();
    progress.onApprovalUsed(EACH_REFUSAL.hasForeignData);
    expect(events.map(({ reason }) => reason)).toEqual(['DevicesApprovalUsed']);
  });
});

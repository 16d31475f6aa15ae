import { expect, it } from 'vitest';
import { FilledViews } from '../api/filled-views.ts';
import { transportOf } from '../api/simulated-cluster.ts';
import type { Caches } from '../kit/cache/caches.ts';
import { Controller, type ControllerSettings } from '../kit/controller/controller.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { ProgramParts } from '../kit/manager/program.ts';
import { Events } from '../kit/observe/events.ts';
import { Metrics } from '../kit/observe/metrics.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { devices } from './controller.ts';
import { Ledger } from './ledger/ledger.ts';
import { LEDGER, SimulatedNode, volumeAt } from './simulated-node.ts';

const MINUTES = 60_000;

const VOLUME = volumeAt('b');

/** The whole job in a process of its own, until it is stopped or ends by itself. */
function started(node: SimulatedNode) {
  const { clock, cluster, settings } = node;
  const host = node.machine.host();
  const random = () => 0.5;
  const log = new RecordingLog();
  const metrics = new Metrics();
  const views = new FilledViews();
  const client = new KubeClient({ transport: transportOf(host, cluster), clock, random });
  const turns: string[] = [];
  const parts: ProgramParts = {
    client,
    caches: views as Pick<Caches, 'view'> as Caches,
    events: new Events({ client, clock, random, log, instance: 'one', metrics: metrics.events }),
    metrics,
    log,
    clock,
    random,
    controller: (controller) => new Controller(noting(controller, turns), { clock, random, log }),
  };
  const [job] = devices(parts, settings, host, 'v0');
  const stop = new AbortController();
  views.fill(cluster, new Set());
  const ended = Promise.allSettled([job?.run(stop.signal)]).then(([end]) => end);
  const refresh = () => {
    cluster.settle();
    views.fill(cluster, new Set());
  };
  return { ended, stop, refresh, turns };
}

/** Notes each key that has its turn. */
const noting = (settings: ControllerSettings, turns: string[]): ControllerSettings => ({
  ...settings,
  reconcile(key, context) {
    turns.push(key);
    return settings.reconcile(key, context);
  },
});

it('the job ends with the reason when another agent has written its ledger, and leaves that as it is', async () => {
  const node = new SimulatedNode();
  node.addDisk('b');
  const job = started(node);
  await node.clock.advance(30_000);
  job.refresh();
  await node.clock.advance(30_000);
  expect(node.phaseOf(VOLUME)).toBe('Available');
  const { files } = node.machine.host();
  const parts = { files, clock: node.clock, log: new RecordingLog() };
  await (await Ledger.open(node.settings.stateDir, parts, async () => [])).use('by-another');
  const before = await files.readText(LEDGER);
  node.bind(VOLUME);
  job.refresh();
  const end = await node.drive(job.ended);
  expect(end).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('another agent uses') } });
  expect(await files.readText(LEDGER)).toBe(before);
});

it('the job ends without a word when it is stopped', async () => {
  const node = new SimulatedNode();
  node.addDisk('b');
  const job = started(node);
  await node.clock.advance(3_000);
  job.stop.abort(new Error('the process ends'));
  expect(await node.drive(job.ended)).toMatchObject({ status: 'fulfilled' });
});

it('each hour every volume and every device is looked at again, whether anything has happened or not', async () => {
  const node = new SimulatedNode({}, { pollingMs: 24 * 60 * MINUTES });
  const gone = node.addDisk('gone');
  node.addDisk('b');
  for (const twin of ['c_1', 'c-1']) node.addDisk(twin);
  const job = started(node);
  await node.clock.advance(MINUTES);
  job.refresh();
  node.unplug(gone);
  await node.clock.advance(MINUTES);
  job.refresh();
  await node.clock.advance(8 * MINUTES);
  expect([VOLUME, volumeAt('gone')].map((volume) => node.phaseOf(volume))).toEqual(['Available', 'Available']);
  job.turns.length = 0;
  await node.clock.advance(49 * MINUTES);
  expect(job.turns).toEqual([]);
  await node.clock.advance(7 * MINUTES);
  expect(job.turns.toSorted()).toEqual([VOLUME, volumeAt('c-1'), volumeAt('gone')]);
  job.stop.abort(new Error('the process ends'));
  await node.drive(job.ended);
});

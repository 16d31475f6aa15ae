import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { answer, FakeTransport, refusal } from '../kit/kube/fake-transport.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { Reporter } from './reporter.ts';
import { Standings } from './standings.ts';

const PATH = '/api/v1/namespaces/holdfast/configmaps/holdfast-devices-n1';
const HOUR = 3_600_000;

function aReporter() {
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const standings = new Standings();
  const transport = new FakeTransport().on('PATCH', PATH, ({ body }) => answer(200, body));
  const client = new KubeClient({ transport, clock, random: () => 0 });
  const compose = () => ({
    node: 'n1',
    at: clock.now().toISOString(),
    version: '1',
    isDryRun: false,
    faults: [],
    unseen: [],
    devices: standings.values(),
    leftOut: 0,
  });
  const stop = new AbortController();
  const reporter = new Reporter({ client, clock, log, standings, namespace: 'holdfast', compose });
  const ended = reporter.run(stop.signal);
  const change = (volume: string) => standings.note({ volume, path: `/dev/${volume}`, state: { is: 'bound' } });
  return { clock, log, transport, change, stop, ended };
}

/** The devices that stand in each report that was written. */
const reports = (transport: FakeTransport) =>
  transport
    .bodies<{ data: Record<string, string> }>('PATCH')
    .map(({ data }) => JSON.parse(Object.values(data)[0] ?? '').devices.map((one: { volume: string }) => one.volume));

describe('the report of a node', () => {
  it('is written a second after a change, with all changes of that second', async () => {
    const { clock, transport, change } = aReporter();
    change('a');
    await clock.advance(500);
    change('b');
    await clock.advance(499);
    expect(transport.journal).toEqual([]);
    await clock.advance(1);
    expect(reports(transport)).toEqual([['a', 'b']]);
    expect(transport.journal[0]?.query.get('force')).toBe('true');
  });

  it('is not written oftener than every ten seconds, and the last change is not lost', async () => {
    const { clock, transport, change } = aReporter();
    for (let second = 0; second < 60; second++) {
      change(`${second}`);
      await clock.advance(1_000);
    }
    expect(transport.journal).toHaveLength(6);
    await clock.advance(10_000);
    expect(reports(transport).at(-1)).toContain('59');
    await clock.advance(60_000);
    expect(transport.journal).toHaveLength(7);
  });

  it('is written every five minutes although nothing changes, so that it can be seen that we live', async () => {
    const { clock, transport } = aReporter();
    await clock.advance(301_000);
    expect(transport.journal).toHaveLength(1);
    await clock.advance(310_000);
    expect(transport.journal).toHaveLength(2);
  });

  it('that cannot be written is said once in an hour, and is tried again', async () => {
    const { clock, transport, change, log } = aReporter();
    transport.on('PATCH', PATH, refusal(403, 'Forbidden', 'no'));
    for (let minute = 0; minute < 30; minute++) {
      change(`${minute}`);
      await clock.advance(60_000);
    }
    expect(log.at('warn')).toHaveLength(1);
    expect(transport.journal.length).toBeGreaterThan(20);
    await clock.advance(HOUR);
    expect(log.at('warn')).toHaveLength(2);
  });

  it('is written no more after the end', async () => {
    const { clock, transport, change, stop, ended } = aReporter();
    change('a');
    stop.abort(new Error('the process ends'));
    await ended;
    change('b');
    await clock.advance(HOUR);
    expect(transport.journal).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

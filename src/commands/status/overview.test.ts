import { describe, expect, test } from 'vitest';
import { aNodeReport } from '../../devices/builders.ts';
import { devicesStatus } from '../../devices/status.ts';
import { ApiError } from '../../kit/kube/api-error.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { devices } from './devices.ts';
import { overviewPage } from './overview.ts';
import { pool } from './pool.ts';
import { absent, type Need, summaryOf, unseen, verdictOn } from './summary.ts';
import { topology } from './topology.ts';

const NOW = new Date('2026-01-01T00:00:30Z');

const aDevice = (name: string, state: object) =>
  ({ volume: `local-${name}`, path: `/dev/disks/${name}`, state }) as ReturnType<typeof aNodeReport>['devices'][number];

const devicesSummary = () => {
  const refused = { is: 'refused', fact: 'isMounted', why: 'is mounted at /data', remedy: 'Unmount it' };
  const wiping = { is: 'wiping', doneBytes: 42, ofBytes: 100 };
  const report = aNodeReport({ devices: [aDevice('a', { ...refused, canBeApproved: false }), aDevice('b', wiping)] });
  return devices.summary(devicesStatus({ reports: [{ report, namespace: 'x' }] }, NOW));
};

test('all jobs stand on one screen, then what needs a person with the remedy and the code, then what goes on', () => {
  const jobs = [
    topology.summary({ volumes: [], unplaceable: [] }),
    devicesSummary(),
    absent('lvm', 'no agent has reported'),
    unseen('pool', new Error('pvpools may not be listed')),
  ];
  expect(rendered(overviewPage({ needsAPerson: true, jobs }), PLAIN)).toBe(
    [
      'JOB        HEALTH           WHAT THERE IS',
      'topology   well             0 volumes, 0 with their zone',
      'devices    needs a person   1 node, 2 devices: 1 wiping, 1 refused',
      'lvm        absent           no agent has reported',
      'pool       unknown          pvpools may not be listed',
      '',
      'NEEDS A PERSON',
      'devices: node-1: /dev/disks/a is mounted at /data. Unmount it. (holdfast explain isMounted)',
      '',
      'GOING ON NOW',
      'devices: node-1: /dev/disks/b wiping 42 %',
      '',
    ].join('\n'),
  );
});

test('of very many the first are shown, and the others are counted', () => {
  const needs = Array.from({ length: 30 }, (_, index): Need => {
    return { job: 'lvm', what: `volume-${index}: is refused`, remedy: 'Mend it.' };
  });
  const text = rendered(overviewPage({ needsAPerson: true, jobs: [summaryOf('lvm', 'x', needs)] }), PLAIN);
  expect(text).toContain('lvm: volume-19: is refused. Mend it.\n… and 10 more: holdfast status JOB shows all\n');
});

describe('the health of a job', () => {
  test('follows from what there is to tell', () => {
    const need: Need = { job: 'lvm', what: 'x', remedy: 'z' };
    expect(summaryOf('lvm', '', []).health).toBe('well');
    expect(summaryOf('lvm', '', [], ['it goes on']).health).toBe('busy');
    expect(summaryOf('lvm', '', [need], ['it goes on']).health).toBe('needs a person');
  });

  test('of one whose kind is not installed is absent, and of one that may not be read unknown', () => {
    const answer = (status: number, reason: 'NotFound' | 'Forbidden') =>
      new ApiError({ request: 'list pvpools', status, reason, detail: 'no' });
    expect(unseen('pool', answer(404, 'NotFound')).health).toBe('absent');
    expect(unseen('pool', answer(403, 'Forbidden')).health).toBe('unknown');
  });

  test('of one whose kind every cluster has cannot be absent: whoever does not find that is no cluster', () => {
    const error = new ApiError({ request: 'GET /api/v1/nodes', status: 404, reason: 'NotFound', detail: 'no' });
    for (const job of ['topology', 'devices', 'lvm'] as const)
      expect(() => unseen(job, error)).toThrow(/GET \/api\/v1\/nodes: .* not a Kubernetes API server/);
  });
});

describe('a script is told', () => {
  const unknown = unseen('pool', new Error('pvpools may not be listed'));
  const needed = summaryOf('lvm', '', [{ job: 'lvm', what: 'x', remedy: 'z' }]);

  test('that all is well when all could be looked at, and nobody is needed', () => {
    expect(verdictOn([summaryOf('topology', '', [], ['it goes on']), absent('lvm', '')])).toBe('well');
  });

  test('of a need before that something is not known, and never that this is well', () => {
    expect(verdictOn([absent('lvm', ''), unknown])).toBe('unknown');
    expect(verdictOn([unknown, needed])).toBe('needs a person');
  });
});

test('a pool that is degraded needs a person, with the remedy of its code', () => {
  const standing = {
    ...{ pool: 'default/web', pvs: 3, ready: 2, phase: 'Unknown', usedPercent: 1, capacityBytes: 1, timeToFull: '' },
    ...{ now: '', troubles: ['pod web-sts-1 is not ready: ErrImagePull'], code: 'PodIsNotReady', states: {} },
  };
  expect(pool.summary({ pools: [standing] }).needs).toEqual([
    {
      job: 'pool',
      what: 'default/web: pod web-sts-1 is not ready: ErrImagePull',
      remedy: 'Look at it: kubectl describe pod, kubectl logs.',
      code: 'PodIsNotReady',
    },
  ]);
});

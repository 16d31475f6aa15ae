import { describe, expect, test } from 'vitest';
import { aCluster, aVolume, aWriter, minutesAgo, seen, told } from '../builders.ts';
import { noOriginalHoldsItsLease, noOriginalWrites, oneWriterPerJob } from './two-writers.ts';

const original = aWriter({ who: 'original', namespace: 'kube-system', name: 'local-pv-provisioner', image: 'x/y:1' });

describe('of one job', () => {
  const judged = (...writers: Parameters<typeof aWriter>[0][]) =>
    told(oneWriterPerJob.judge(aCluster({ writers: seen(writers.map((each) => aWriter(each))) })));

  test('an original beside us is an error', () => {
    expect(judged(original, {})).toEqual([
      'error: DaemonSet kube-system/local-pv-provisioner: it is local-pv-provisioner (image x/y:1), and DaemonSet storage/holdfast-devices does the same job, devices',
    ]);
  });

  test('what only looks like one is a warning', () => {
    expect(judged({ ...original, who: 'looks-like' }, {})[0]).toMatch(/^warning: /);
  });

  test('an original alone is only told', () => {
    expect(judged(original)[0]).toMatch(/^info: /);
  });

  test('a second one of ours is an error', () => {
    expect(judged({}, { namespace: 'other' })).toEqual([
      'error: DaemonSet other/holdfast-devices: it does the same job, devices, as DaemonSet storage/holdfast-devices',
    ]);
  });

  test('one that is scaled to nothing, and one of another job, are no matter', () => {
    expect(judged({ ...original, runs: false }, {}, { job: 'lvm' })[0]).toMatch(/^ok: /);
  });
});

describe('a lease of an original', () => {
  const judged = (holderIdentity: string, minutes: number) =>
    noOriginalHoldsItsLease.judge(
      aCluster({
        leases: seen([
          {
            metadata: { namespace: 'pv-pool-operator-system', name: '53e80ed0.noobaa.com' },
            spec: { holderIdentity, renewTime: minutesAgo(minutes) },
          },
        ]),
      }),
    );

  test('that somebody holds is told', () => {
    expect(told(judged('manager-0', 0.1))[0]).toMatch(/^warning: .* manager-0 holds it for PV Pool Operator/);
  });

  test('that was given back or run out is no matter', () => {
    expect([judged('', 0.1).is, judged('manager-0', 5).is]).toEqual(['ok', 'ok']);
  });
});

describe('what an original wrote', () => {
  const judged = (manager: string, minutes: number, writers = [aWriter()]) =>
    noOriginalWrites.judge(
      aCluster({
        writers: seen(writers),
        volumes: seen([aVolume({ managedFields: [{ manager, time: minutesAgo(minutes) }] })]),
      }),
    );

  test('a moment ago, beside us, is told', () => {
    expect(told(judged('local-pv-provisioner', 5))[0]).toContain(
      'it wrote to 1 volumes within the last hour, such as data-0',
    );
  });

  test('long ago, or without us, and what others write, is no matter', () => {
    expect(judged('local-pv-provisioner', 90).is).toBe('ok');
    expect(judged('kube-controller-manager', 5).is).toBe('ok');
    expect(judged('local-pv-provisioner', 5, []).is).toBe('ok');
  });
});

import { describe, expect, test } from 'vitest';
import { NODE_LABEL, TROUBLE_ANNOTATION, WIPE_FINALIZER } from '../../devices/contract.ts';
import { annotation, FINALIZER, NODE_ID_LABEL } from '../../lvm/contract.ts';
import { RECOVERY_LABEL } from '../../sync/contract.ts';
import { aCluster, aNode, aReport, aVolume, aWriter, findingsOf, minutesAgo, seen, told } from '../builders.ts';
import {
  leasesAreHeld,
  noFinalizerOfGoneNodes,
  releasedVolumesAreRecycled,
  reportsAreOfLivingNodes,
  restoredVolumesHaveTheirSync,
} from './leftovers.ts';

describe('a report', () => {
  const judged = (parts: Parameters<typeof aReport>[0]) =>
    reportsAreOfLivingNodes.judge(aCluster({ reports: seen([aReport(parts)]) }));

  test('of a node that is gone can be deleted, if it is still the one that was seen', () => {
    expect(findingsOf(judged({ node: 'node-9' }))).toMatchObject([
      {
        severity: 'warning',
        evidence: 'it is of the agent of lvm on node node-9, which is not in the cluster any more',
        fix: { does: 'delete', ref: { namespace: 'storage' }, uid: 'u1', resourceVersion: '7' },
      },
    ]);
  });

  test('of a node that is there is never deleted, however old it is', () => {
    const findings = findingsOf(judged({ at: minutesAgo(600) }));
    expect(findings).toMatchObject([{ evidence: 'it was last heard 10 hours ago' }]);
    expect(findings[0]).not.toHaveProperty('fix');
  });

  test('whose time cannot be read is told as it is', () => {
    expect(findingsOf(judged({ at: 'yesterday' }))).toMatchObject([
      { evidence: 'its report says no time that can be read: yesterday' },
    ]);
  });
});

const affinity = (key: string, value: string) => ({
  spec: {
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] },
    },
  },
});

describe('a finalizer', () => {
  const nodes = seen([aNode('node-1', { [NODE_ID_LABEL]: 'one' })]);
  const judged = (...volumes: ReturnType<typeof aVolume>[]) =>
    noFinalizerOfGoneNodes.judge(aCluster({ nodes, volumes: seen(volumes) }));

  test('for a node that is there is as it should be, by whatever it is named', () => {
    expect(
      judged(
        aVolume({ finalizers: [WIPE_FINALIZER], labels: { [NODE_LABEL]: 'node-1' } }),
        aVolume({ finalizers: [FINALIZER] }, affinity(NODE_ID_LABEL, 'one')),
        aVolume({ finalizers: [FINALIZER] }, affinity('kubernetes.io/hostname', 'node-1')),
      ).is,
    ).toBe('ok');
  });

  test('for a node that is gone is told, and what to do about it', () => {
    const findings = findingsOf(
      judged(
        aVolume({ name: 'a', finalizers: [FINALIZER] }, affinity(NODE_ID_LABEL, 'two')),
        aVolume({
          name: 'b',
          finalizers: [WIPE_FINALIZER],
          labels: { [NODE_LABEL]: 'node-2' },
          deletionTimestamp: minutesAgo(9),
        }),
      ),
    );
    expect(findings).toMatchObject([
      { severity: 'error', subject: 'volume b' },
      { severity: 'warning', subject: 'volume a', remedy: expect.stringContaining('holdfast lvm forget a') },
    ]);
    for (const finding of findings) expect(finding).not.toHaveProperty('fix');
  });

  test('of somebody else is none of our business', () => {
    expect(judged(aVolume({ finalizers: ['kubernetes.io/pv-protection'] }, affinity(NODE_ID_LABEL, 'two'))).is).toBe(
      'ok',
    );
  });
});

describe('a released volume', () => {
  const released = { status: { phase: 'Released' } };
  const judged = (metadata: Parameters<typeof aVolume>[0], reports = [aReport({ job: 'devices' })]) =>
    releasedVolumesAreRecycled.judge(
      aCluster({ volumes: seen([aVolume(metadata, released)]), reports: seen(reports) }),
    );
  const ofDevices = { labels: { [NODE_LABEL]: 'node-1' } };

  test('whose node has an agent is in good hands', () => {
    expect(judged(ofDevices).is).toBe('ok');
  });

  test('whose node has none that is heard is told', () => {
    for (const reports of [[], [aReport({ job: 'devices', at: minutesAgo(30) })], [aReport({ job: 'lvm' })]])
      expect(told(judged(ofDevices, reports))[0]).toContain('no agent of devices reports from its node, node-1');
    const ofGone = { labels: { [NODE_LABEL]: 'node-9' } };
    expect(judged(ofGone, [aReport({ job: 'devices', node: 'node-9' })]).is).toBe('found');
  });

  test('that the agent refuses is told with the reason', () => {
    const annotations = { [TROUBLE_ANNOTATION]: 'the device is mounted' };
    expect(told(judged({ ...ofDevices, annotations }))).toEqual([
      'warning: volume data-0: it is not recycled: the device is mounted',
    ]);
  });

  test('of lvm waits for a person, unless it is to be released by itself', () => {
    expect(told(judged({ annotations: { [annotation('vg')]: 'fast' } }))[0]).toMatch(/^info: /);
    expect(judged({ annotations: { [annotation('autoRelease')]: 'true' } }).is).toBe('ok');
  });
});

describe('a lease of ours', () => {
  const judged = (name: string, minutes: number, writers = [aWriter({ job: 'pool', elects: true })]) =>
    leasesAreHeld.judge(
      aCluster({
        writers: seen(writers),
        leases: seen([{ metadata: { namespace: 'storage', name }, spec: { renewTime: minutesAgo(minutes) } }]),
      }),
    );

  test('that nobody renews is an error where its job is installed, and else a leftover', () => {
    expect(told(judged('holdfast-pool', 300))[0]).toMatch(/^error: .*: it does nothing$/);
    expect(told(judged('holdfast-pool', 300, []))[0]).toMatch(/^info: .*no holdfast pool runs there$/);
  });

  test('of several jobs that are done by one program is known, too', () => {
    const controller = aWriter({ job: 'pool', does: 'controller', elects: true });
    expect(told(judged('holdfast-controller', 300, [controller]))[0]).toMatch(/holdfast controller is installed there/);
    expect(told(judged('holdfast-pool', 300, [controller]))[0]).toMatch(/^info: .*no holdfast pool runs there$/);
  });

  test('that is renewed is well, and those of others are none of our business', () => {
    expect([judged('holdfast-pool', 0).is, judged('kube-scheduler', 300).is]).toEqual(['ok', 'ok']);
  });
});

test('a restored volume whose PersistentVolumeSync is gone is told', () => {
  const volumes = seen([aVolume({ labels: { [RECOVERY_LABEL]: 'site-b' } })]);
  expect(told(restoredVolumesHaveTheirSync.judge(aCluster({ volumes })))).toEqual([
    'warning: volume data-0: it was restored for the PersistentVolumeSync site-b, which is not there any more',
  ]);
  expect(restoredVolumesHaveTheirSync.judge(aCluster({ volumes, syncs: seen(['site-b']) })).is).toBe('ok');
});

import { describe, expect, test } from 'vitest';
import { nodeSelectorOf } from '../kit/node-selectors.ts';
import { at } from './builders.ts';
import { ZONE } from './contract.ts';
import { type PlaceableNode, type PlacedVolume, unplaceable, type WaitingPod } from './placement.ts';

const node = (name: string, labels: PlaceableNode['labels'], taints: PlaceableNode['taints'] = []): PlaceableNode => ({
  name,
  labels,
  taints,
});
const volume = (name: string, labels: PlacedVolume['labels'], parts: Partial<PlacedVolume> = {}): PlacedVolume => ({
  name,
  labels,
  ...parts,
});
const pod = (parts: Partial<WaitingPod> = {}): WaitingPod => ({
  pod: 'default/web-0',
  claims: ['default/data'],
  nodeSelector: {},
  tolerations: [],
  ...parts,
});
const inZone = (zone: string) =>
  nodeSelectorOf({ nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] });

const nodeA = node('node-a', at('a', 'r'));
const nodeB = node('node-b', at('b', 'r'));

describe('a pod will never be placed', () => {
  test('when no node is in the zone of its volume', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('c'))], [nodeA, nodeB])).toEqual({
      pod: 'default/web-0',
      volumes: ['pv-1'],
      why: 'volume pv-1 is in c; the nodes that would take the pod are in a (region r), b (region r)',
    });
  });

  test('when it wants another zone than its volume is in', () => {
    const wants = pod({ nodeSelector: at('b') });
    expect(unplaceable(wants, [volume('pv-1', at('a'))], [nodeA, nodeB])).toMatchObject({ volumes: ['pv-1'] });
    const likes = pod({ affinity: inZone('b') });
    expect(unplaceable(likes, [volume('pv-1', at('a'))], [nodeA, nodeB])).toMatchObject({ volumes: ['pv-1'] });
  });

  test('when the nodes of that zone have taints that it does not tolerate', () => {
    const tainted = node('node-a', at('a'), [{ key: 'control-plane', effect: 'NoSchedule' }]);
    expect(unplaceable(pod(), [volume('pv-1', at('a'))], [tainted, nodeB])).toMatchObject({ volumes: ['pv-1'] });
  });

  test('when its volumes are apart', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('a')), volume('pv-2', at('b'))], [nodeA, nodeB])).toMatchObject({
      volumes: ['pv-1', 'pv-2'],
      why: 'no node reaches all of its volumes: volume pv-1 is in a; volume pv-2 is in b',
    });
  });

  test('when the zone fits and the region does not', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('a', 's'))], [nodeA])).toMatchObject({
      why: 'volume pv-1 is in a (region s); the nodes that would take the pod are in a (region r)',
    });
  });

  test('when the node has a region only, and the volume a zone', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('a'))], [node('node-x', at(undefined, 'r'))])).toBeDefined();
  });

  test("when the volume's own node affinity is elsewhere", () => {
    expect(unplaceable(pod(), [volume('pv-1', {}, { affinity: inZone('c') })], [nodeA])).toMatchObject({
      why: 'volume pv-1 has a node affinity; the nodes that would take the pod are in a (region r)',
    });
  });

  test('when the label has the name that it had before', () => {
    const former = { 'failure-domain.beta.kubernetes.io/zone': 'c' };
    expect(unplaceable(pod(), [volume('pv-1', former)], [nodeA])).toMatchObject({
      why: expect.stringContaining('is in c'),
    });
    expect(
      unplaceable(pod(), [volume('pv-1', { 'failure-domain.beta.kubernetes.io/zone': 'a' })], [nodeA]),
    ).toBeUndefined();
  });
});

describe('a volume is not to blame', () => {
  test('when a node reaches it', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('a', 'r'))], [nodeA, nodeB])).toBeUndefined();
  });

  test('when it is in several zones, and a node is in one of them', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('b__c'))], [nodeA, nodeB])).toBeUndefined();
  });

  test('when no node would take the pod anyway', () => {
    expect(unplaceable(pod({ nodeSelector: { gpu: 'yes' } }), [volume('pv-1', at('c'))], [nodeA])).toBeUndefined();
    expect(unplaceable(pod(), [volume('pv-1', at('c'))], [])).toBeUndefined();
  });

  test('when nodes have no topology at all', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('c'))], [node('node-x', {})])).toBeUndefined();
  });

  test('when its label is one that the scheduler cannot read, and ignores', () => {
    expect(unplaceable(pod(), [volume('pv-1', at('c____d'))], [nodeA])).toBeUndefined();
  });
});

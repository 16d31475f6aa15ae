import { describe, expect, test } from 'vitest';
import { Snapshot } from '../kit/cache/snapshot.ts';
import { answer, refusal } from '../kit/kube/fake-transport.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { at, claimObject, nodeObject, podObject, policy, volumeObject } from './builders.ts';
import { topologyViews } from './cached.ts';
import { FIELD_MANAGER, type Policy, REGION, TOPOLOGY_LABELS, ZONE } from './contract.ts';
import { labelAll } from './once.ts';
import { listOf, servedCluster } from './served-cluster.ts';

const world = {
  volumes: [volumeObject('pv-2', 'data-2', at('a', 'r')), volumeObject('pv-1', 'data-1', at('x'))],
  claims: [claimObject('data-1', 'pv-1'), claimObject('data-2', 'pv-2')],
  pods: [podObject('web-1', 'data-1', 'node-a'), podObject('web-2', 'data-2', 'node-a')],
  nodes: [nodeObject('node-a', at('a', 'r'))],
};

async function once(
  prepare: (cluster: ReturnType<typeof servedCluster>) => void = () => {},
  { dryRun = false, signal = new AbortController().signal, policy: choices = {} }: Choices = {},
) {
  const cluster = servedCluster(world);
  prepare(cluster);
  const { client, clock, transport } = cluster;
  const snapshot = new Snapshot();
  const chosen = policy(choices);
  const views = topologyViews(snapshot, chosen.labelKeys);
  await snapshot.fill(client, {});
  const progress: string[] = [];
  const told: Occurrence[] = [];
  const labelling = labelAll({
    snapshot,
    views,
    client,
    policy: chosen,
    selector: 'team=web',
    dryRun,
    clock,
    recorder: { record: (occurrence) => told.push(occurrence) },
    signal,
    progress: (done, of) => progress.push(`${done}/${of}`),
  });
  await clock.advance(60_000);
  const { volumes, changes: rows, troubles } = await labelling;
  const events = told.map(({ regarding, reason }) => [regarding.name, reason]);
  return { volumes, rows, troubles, events, progress, patches: transport.bodies('PATCH') };
}

interface Choices {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly policy?: Partial<Policy>;
}

describe('labelling everything once', () => {
  test('writes what is not as it should be, and tells what changed', async () => {
    const { rows, progress, patches } = await once();
    expect(rows).toEqual([
      {
        volume: 'pv-1',
        claim: 'default/data-1',
        node: 'node-a',
        pod: 'default/web-1',
        changes: [
          { key: ZONE, from: 'x', to: 'a' },
          { key: 'topology.kubernetes.io/region', from: '', to: 'r' },
        ],
        nodeAffinity: false,
        outcome: 'labelled',
      },
    ]);
    expect(patches).toHaveLength(1);
    expect(progress).toEqual(['1/2', '2/2']);
  });

  test('as a dry run writes nothing', async () => {
    const { rows, patches } = await once(undefined, { dryRun: true });
    expect(rows).toMatchObject([{ volume: 'pv-1', outcome: 'wouldBeLabelled' }]);
    expect(patches).toEqual([]);
  });

  test('gives no place up: one look cannot tell for how long nobody has been there', async () => {
    const wide = [volumeObject('pv-1', 'data-1', at('a__b', 'r')), volumeObject('pv-2', 'data-2', at('a', 'r'))];
    const { rows, patches } = await once(({ transport }) =>
      transport.on('GET', '/api/v1/persistentvolumes', listOf(wide)),
    );
    expect(rows).toEqual([]);
    expect(patches).toEqual([]);
  });

  test('writes what is missing beside a place that it does not give up', async () => {
    const wide = [volumeObject('pv-1', 'data-1', at('a__b'))];
    const { rows } = await once(({ transport }) => transport.on('GET', '/api/v1/persistentvolumes', listOf(wide)));
    expect(rows).toMatchObject([{ changes: [{ key: REGION, from: '', to: 'r' }], outcome: 'labelled' }]);
  });

  test('goes on when a volume is refused, and tells why', async () => {
    const forbidden = refusal(403, 'Forbidden', 'you may not patch volumes');
    const { rows } = await once(({ transport }) => transport.on('PATCH', /persistentvolumes/, forbidden));
    expect(rows).toMatchObject([{ outcome: 'failed', error: expect.stringContaining('you may not patch volumes') }]);
  });

  test('looks again at a volume that somebody changed at the same moment', async () => {
    const conflict = refusal(409, 'Conflict', 'changed');
    const changed = volumeObject('pv-1', 'data-1', at('y', 'r'));
    const { rows, patches } = await once(({ transport }) =>
      transport
        .on('PATCH', /persistentvolumes/, conflict, ({ body }) => answer(200, body))
        .on('GET', '/api/v1/persistentvolumes', listOf(world.volumes), listOf([changed])),
    );
    expect(patches).toHaveLength(2);
    expect(rows).toMatchObject([{ changes: [{ key: ZONE, from: 'y', to: 'a' }], outcome: 'labelled' }]);
  });

  test('looks again at a volume whose write had no answer, and takes what it finds for its own', async () => {
    const lost = new ConnectionError('reset', { mayHaveHappened: true });
    const labelled = volumeObject('pv-1', 'data-1', at('a', 'r'), FIELD_MANAGER);
    const { rows, patches } = await once(({ transport }) =>
      transport
        .on('PATCH', /persistentvolumes/, lost, refusal(409, 'Conflict', 'it is newer by now'))
        .on('GET', '/api/v1/persistentvolumes', listOf([volumeObject('pv-1', 'data-1')]), listOf([labelled])),
    );
    expect(patches).toHaveLength(2);
    expect(rows).toMatchObject([{ volume: 'pv-1', changes: [{ from: '', to: 'a' }, {}], outcome: 'labelled' }]);
  });

  test('looks again, and tries once more, after the client has given a write up, and then tells why', async () => {
    const broken = refusal(500, 'InternalError', 'a webhook fails');
    const unlabelled = listOf([volumeObject('pv-1', 'data-1')]);
    const { rows, patches } = await once(({ transport }) =>
      transport.on('PATCH', /persistentvolumes/, broken).on('GET', '/api/v1/persistentvolumes', unlabelled),
    );
    expect(patches).toHaveLength(10);
    expect(rows).toMatchObject([{ outcome: 'failed', error: expect.stringContaining('a webhook fails') }]);
  });

  test('does not call a volume labelled that somebody took away in the meantime', async () => {
    const broken = refusal(500, 'InternalError', 'a webhook fails');
    const { rows } = await once(({ transport }) =>
      transport
        .on('PATCH', /persistentvolumes/, broken)
        .on(
          'GET',
          '/api/v1/persistentvolumes',
          listOf([volumeObject('pv-1', 'data-1')]),
          listOf([volumeObject('pv-1', undefined)]),
        ),
    );
    expect(rows).toEqual([]);
  });

  test('tells what failed when it cannot even look again', async () => {
    const { rows } = await once(({ transport }) =>
      transport
        .on('PATCH', /persistentvolumes/, refusal(409, 'Conflict', 'changed'))
        .on('GET', '/api/v1/persistentvolumes', listOf(world.volumes), refusal(403, 'Forbidden', 'no more')),
    );
    expect(rows).toMatchObject([{ outcome: 'failed', error: expect.stringContaining('changed') }]);
  });

  test('that is interrupted begins with no other volume', async () => {
    const { rows, patches } = await once(undefined, { signal: AbortSignal.abort() });
    expect(rows).toEqual([]);
    expect(patches).toEqual([]);
  });

  test('that is interrupted in the middle of a write says that nobody knows what became of it', async () => {
    const stop = new AbortController();
    const { rows } = await once(
      ({ transport }) =>
        transport.on('PATCH', /persistentvolumes/, () => {
          stop.abort();
          return 'hang';
        }),
      { signal: stop.signal },
    );
    expect(rows).toMatchObject([{ volume: 'pv-1', outcome: 'cutOff' }]);
  });

  test('gives up on a volume that is changed every time', async () => {
    const conflict = refusal(409, 'Conflict', 'changed');
    const { rows, patches } = await once(({ transport }) =>
      transport
        .on('PATCH', /persistentvolumes/, conflict)
        .on('GET', '/api/v1/persistentvolumes', listOf(world.volumes)),
    );
    expect(patches).toHaveLength(5);
    expect(rows).toMatchObject([{ outcome: 'failed', error: expect.stringContaining('changed') }]);
  });

  test('takes a volume that is gone for gone', async () => {
    const gone = refusal(404, 'NotFound', 'no such volume');
    expect((await once(({ transport }) => transport.on('PATCH', /persistentvolumes/, gone))).rows).toMatchObject([
      { outcome: 'gone' },
    ]);
    const conflict = refusal(409, 'Conflict', 'another');
    const { rows } = await once(({ transport }) =>
      transport
        .on('PATCH', /persistentvolumes/, conflict)
        .on('GET', '/api/v1/persistentvolumes', listOf(world.volumes), listOf([])),
    );
    expect(rows).toMatchObject([{ outcome: 'gone' }]);
  });
});

describe('people are told', () => {
  test('whose value was replaced', async () => {
    const { events, troubles } = await once();
    expect(events).toEqual([['pv-1', 'TopologyReplaced']]);
    expect(troubles).toEqual([]);
  });

  test('of a value that is kept', async () => {
    const { volumes, rows, events, troubles } = await once(undefined, { policy: { overwrite: 'missing' } });
    expect([volumes, rows]).toEqual([2, []]);
    expect(events).toEqual([['pv-1', 'TopologyConflict']]);
    expect(troubles).toEqual([
      {
        volume: 'pv-1',
        claim: 'default/data-1',
        code: 'anotherValueIsKept',
        why: expect.stringContaining(`${ZONE} is "x", written by kubectl-label, and would be "a"`),
      },
    ]);
  });

  test('of a label that was left out beside others that were written', async () => {
    const node = nodeObject('node-a', { ...at('a', 'r'), rack: 'a__b' });
    const { rows, events, troubles } = await once(
      ({ transport }) => transport.on('GET', '/api/v1/nodes', listOf([node])),
      {
        policy: { labelKeys: [...TOPOLOGY_LABELS, 'rack'] },
      },
    );
    expect(rows).toMatchObject([{ volume: 'pv-1', outcome: 'labelled' }]);
    expect(troubles).toMatchObject([
      { volume: 'pv-1', code: 'nodeValueIsUnusable' },
      { volume: 'pv-2', code: 'nodeValueIsUnusable' },
    ]);
    expect(events.toSorted()).toEqual([
      ['pv-1', 'TopologyReplaced'],
      ['pv-1', 'TopologyUnusable'],
      ['pv-2', 'TopologyUnusable'],
    ]);
  });

  test('once of a node without topology, and of each volume that gets no place from it', async () => {
    const { events, troubles } = await once(({ transport }) =>
      transport.on('GET', '/api/v1/nodes', listOf([nodeObject('node-a', {})])),
    );
    expect(events).toEqual([['node-a', 'TopologyMissing']]);
    expect(troubles.map(({ volume, code }) => [volume, code])).toEqual([
      ['pv-1', 'nodeHasNoTopology'],
      ['pv-2', 'nodeHasNoTopology'],
    ]);
  });

  test.each([
    ['a refusal', refusal(403, 'Forbidden', 'you may not'), [['pv-1', 'TopologyFailed']]],
    ['a rival who is always first', refusal(409, 'Conflict', 'changed'), []],
  ])('of %s as the running job tells it', async (_what, failure, told) => {
    const { rows, events } = await once(({ transport }) => transport.on('PATCH', /persistentvolumes/, failure));
    expect(rows).toMatchObject([{ outcome: 'failed' }]);
    expect(events).toEqual(told);
  });

  test('nothing of a volume that has gone meanwhile', async () => {
    const gone = refusal(404, 'NotFound', 'no such volume');
    const { events } = await once(({ transport }) => transport.on('PATCH', /persistentvolumes/, gone));
    expect(events).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { aPool } from '../pool/builders.ts';
import type { PersistentVolumeSync } from '../sync/contract.ts';
import { History, withSample } from './history.ts';
import type { PoolSample } from './model.ts';

const sample = (at: number, usedBytes: number): PoolSample => ({
  at: new Date(at * 1_000).toISOString(),
  usedBytes,
  capacityBytes: 100,
});

describe('how full a pool was', () => {
  test('is kept as a line: where it stays the same, its ends are enough', () => {
    const samples = [1, 2, 3, 4].reduce<readonly PoolSample[]>((all, at) => withSample(all, sample(at, 7)), []);
    expect(samples).toEqual([sample(1, 7), sample(4, 7)]);
    expect(withSample(samples, sample(5, 8))).toEqual([sample(1, 7), sample(4, 7), sample(5, 8)]);
  });

  test('never takes more than 240 samples, and begins where it began', () => {
    let samples: readonly PoolSample[] = [];
    for (let at = 0; at < 5_000; at++) samples = withSample(samples, sample(at, at));
    expect(samples.length).toBeLessThanOrEqual(240);
    expect(samples[0]).toEqual(sample(0, 0));
    expect(samples.at(-1)).toEqual(sample(4_999, 4_999));
  });

  test('is not known before anybody has said it, and is forgotten with the pool', () => {
    const history = new History();
    history.noteOfPool('a', aPool(), new Date());
    expect(history.samplesOf('a')).toEqual([]);
    history.noteOfPool('a', { ...aPool(), status: { usedBytes: 1, capacityBytes: 2 } }, new Date());
    expect(history.samplesOf('a')).toHaveLength(1);
    history.forget('pool', 'a');
    expect(history.samplesOf('a')).toEqual([]);
  });
});

describe('what a sync has done', () => {
  const status = {
    export: { key: 'site/3', sha256: '', exportedAt: '2026-01-01T00:03:00Z' },
    lastDrill: { at: '2026-01-01T00:02:30Z', succeeded: true, seconds: 2, volumes: 1, claims: 1 },
  };
  const sync: PersistentVolumeSync = {
    metadata: { name: 'site' },
    spec: { protectedCluster: 'site', mode: 'Protected', cloudProvider: 'file', retention: 5 },
    status,
  };
  const stored = [3, 2, 1].map((minute) => ({ key: `site/${minute}`, exportedAt: `2026-01-01T00:0${minute}:00.000Z` }));

  test.each(['before', 'after'])(
    'is known from the object store, too, %s the status is seen, each export once',
    (order) => {
      const history = new History();
      if (order === 'before') history.noteOfExports('site', stored);
      history.noteOfSync('site', undefined, sync);
      if (order === 'after') history.noteOfExports('site', stored);
      expect(history.momentsOf('site').map(({ kind, what }) => `${kind} ${what}`)).toEqual([
        'export site/1',
        'export site/2',
        'drill 1 volumes and 1 claims',
        'export site/3',
      ]);
    },
  );

  test('has a restore after the export that it is of', () => {
    const history = new History();
    history.noteOfSync('site', undefined, { ...sync, spec: { ...sync.spec, mode: 'Recovery' } });
    history.noteOfExports('site', stored.slice(0, 1));
    expect(history.momentsOf('site').map(({ kind }) => kind)).toEqual(['drill', 'export', 'restore']);
  });

  test('has all drills that its status still tells of, each once', () => {
    const drilled = (...minutes: readonly number[]): PersistentVolumeSync => {
      const drills = minutes.map((minute) => ({ ...status.lastDrill, at: `2026-01-01T00:0${minute}:00Z` }));
      return { ...sync, status: { drills, lastDrill: drills.at(-1) ?? status.lastDrill } };
    };
    const times = (history: History) => history.momentsOf('site').map(({ at }) => at.slice(14, 16));
    const restarted = new History();
    restarted.noteOfSync('site', undefined, drilled(1, 2, 3));
    expect(times(restarted)).toEqual(['01', '02', '03']);
    restarted.noteOfSync('site', drilled(1, 2, 3), drilled(2, 3, 4));
    expect(times(restarted)).toEqual(['01', '02', '03', '04']);
  });

  test('has the last drill once, also where the status begins to tell of those before', () => {
    const history = new History();
    history.noteOfSync('site', undefined, { ...sync, status: { lastDrill: status.lastDrill } });
    history.noteOfSync(
      'site',
      { ...sync, status: { lastDrill: status.lastDrill } },
      {
        ...sync,
        status: { lastDrill: status.lastDrill, drills: [status.lastDrill] },
      },
    );
    expect(history.momentsOf('site')).toHaveLength(1);
  });

  test('is forgotten with it', () => {
    const history = new History();
    history.noteOfExports('site', stored);
    history.forget('sync', 'site');
    expect(history.momentsOf('site')).toEqual([]);
  });
});

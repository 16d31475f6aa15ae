import { describe, expect, test } from 'vitest';
import { aPool } from '../pool/builders.ts';
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

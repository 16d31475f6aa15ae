import { describe, expect, test } from 'vitest';
import { byNode, type Heard, remarksOnAgent, sortedByNews } from './heard.ts';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();

const reported = (namespace: string, at = minutesAgo(2)) => ({
  report: { node: 'node-1', at, version: '1', leftOut: 0 },
  namespace,
});
const remarks = (heard: Partial<Heard> = {}, one = reported('storage')) =>
  remarksOnAgent(one, { reports: [one], ...heard }, NOW);

test('of an agent that is well there is nothing to say', () => {
  expect(remarks({ nodes: ['node-1'] })).toEqual([]);
});

test.each([
  [10, []],
  [12, ['was last heard 12 minutes ago: what is shown may not be so any more']],
  [60 * 50, ['was last heard 2 days ago: what is shown may not be so any more']],
  [-1, []],
  [-30, ["has a clock that is 30 minutes ahead of the cluster's"]],
])('of an agent whose report is %d minutes old: %j', (minutes, expected) => {
  expect(remarks({}, reported('storage', minutesAgo(minutes)))).toEqual(expected);
});

test('that the node is gone is said where the nodes are known', () => {
  expect(remarks({ nodes: ['node-2'] })).toEqual(['is no node of this cluster any more']);
  expect(remarks({ nodes: undefined })).toEqual([]);
});

test('that somebody else reports on the node, too, is said', () => {
  expect(remarks({ reports: [reported('a'), reported('storage')] })).toEqual([
    "has another report, in the namespace a: only one of them is its agent's",
  ]);
});

test('agents are in the order of their nodes, and of their namespaces', () => {
  const agents = [{ node: 'b' }, { node: 'a', namespace: 'y' }, { node: 'a', namespace: 'x' }];
  expect(agents.toSorted(byNode)).toEqual([agents[2], agents[1], agents[0]]);
});

describe('nodes are sorted by what is known of them', () => {
  const on = (node: string) => ({ report: { node, at: minutesAgo(2), version: '1', leftOut: 0 } });
  const [a, b] = [on('a'), on('b')];
  const heard = { reports: [b, a], nodes: ['f', 'a', 'b', 'c', 'e'] };
  const withVolumes = ['d', 'c', 'a'];

  test('all of them, also those that have volumes and are no longer there', () => {
    expect(sortedByNews(heard, withVolumes, [])).toEqual({
      reports: [b, a],
      silent: ['d', 'c'],
      withoutReport: ['e', 'f'],
    });
  });

  test('or those that are named, also when nobody knows them', () => {
    expect(sortedByNews(heard, withVolumes, ['z', 'c', 'a', 'e'])).toEqual({
      reports: [a],
      silent: ['c'],
      withoutReport: ['e', 'z'],
    });
  });

  test('as far as they may be read', () => {
    expect(sortedByNews({ reports: [a] }, [], [])).toEqual({ reports: [a], silent: [], withoutReport: [] });
  });
});

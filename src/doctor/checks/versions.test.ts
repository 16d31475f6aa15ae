import { expect, test } from 'vitest';
import { aCluster, aReport, seen, told } from '../builders.ts';
import { agentsAreOfThisVersion, serverIsNewEnough } from './versions.ts';

test.each([
  ['v1.32.0', 'ok'],
  ['v1.34.1+k3s1', 'ok'],
  ['v2.0.0', 'ok'],
  ['v1.31.9', 'found'],
  ['v1.9.11', 'found'],
  ['', 'unknown'],
  ['main', 'unknown'],
])('an API server %s is %s', (version, is) => {
  expect(serverIsNewEnough.judge(aCluster({ server: seen(version) })).is).toBe(is);
});

test('an agent of another version than the program that looks is told', () => {
  const reports = seen([aReport(), aReport({ node: 'node-2', version: '1.0.0' })]);
  expect(told(agentsAreOfThisVersion.judge(aCluster({ reports })))).toEqual([
    'warning: agent of lvm on node node-2: it is of version 1.0.0, and this program of 1.2.3',
  ]);
});

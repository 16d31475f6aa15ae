import { describe, expect, test } from 'vitest';
import { claimsOf, hasEnded, type Pod, readySince } from './pods.ts';

const pod = (parts: Omit<Pod, 'metadata'>): Pod => ({ metadata: { namespace: 'default', name: 'web-0' }, ...parts });

describe('the claims of a pod', () => {
  test('are those that it names, and those that are made for it', () => {
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
      { name: 'config' },
      { name: 'broken', persistentVolumeClaim: {} },
    ];
    expect(claimsOf(pod({ spec: { volumes } }))).toEqual(['data-web-0', 'web-0-scratch']);
  });

  test.each([[{}], [{ spec: {} }], [{ spec: { volumes: null } }]])('may be none (%j)', (parts) => {
    expect(claimsOf(pod(parts))).toEqual([]);
  });
});

describe('a pod is ready', () => {
  const status = (phase: string, ready?: string, at: string | null = '2026-01-01T00:00:01Z') => ({
    status: { phase, conditions: ready ? [{ type: 'Ready', status: ready, lastTransitionTime: at }] : null },
  });

  test('since its condition says so', () => {
    expect(readySince(pod(status('Running', 'True')))).toBe(Date.UTC(2026, 0, 1, 0, 0, 1));
  });

  test('also when it does not say since when', () => {
    expect(readySince(pod(status('Running', 'True', null)))).toBe(0);
  });

  test.each([
    ['before it runs', status('Pending', 'True')],
    ['when the condition is false', status('Running', 'False')],
    ['when it is not known', status('Running', 'Unknown')],
    ['without the condition', status('Running')],
    ['without a status', {}],
  ])('not %s', (_when, parts) => {
    expect(readySince(pod(parts))).toBeUndefined();
  });
});

test.each([
  ['Succeeded', true],
  ['Failed', true],
  ['Running', false],
  ['Unknown', false],
])('a pod in the phase %s has ended: %s', (phase, ended) => {
  expect(hasEnded(pod({ status: { phase } }))).toBe(ended);
});

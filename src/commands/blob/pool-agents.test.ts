import { expect, test } from 'vitest';
import { agentsOf } from './pool-agents.ts';

const pod = (name: string, podIP?: string) => ({ metadata: { name }, ...(podIP && { status: { podIP } }) });
const nowhere = expect.stringMatching(/^nowhere: /);

test('an agent whose pod is just replaced belongs to the pool: what it holds must not be taken for not there', () => {
  expect(agentsOf('data', 3, [pod('data-sts-0', '10.0.0.7'), pod('data-sts-2', 'fd00::9')])).toEqual([
    { name: 'data-sts-0', url: 'http://10.0.0.7:8080' },
    { name: 'data-sts-1', url: nowhere },
    { name: 'data-sts-2', url: 'http://[fd00::9]:8080' },
  ]);
});

test('so does one that has no address yet, and one that is about to leave', () => {
  expect(agentsOf('data', 1, [pod('data-sts-1', '10.0.0.8'), pod('data-sts-0')])).toEqual([
    { name: 'data-sts-0', url: nowhere },
    { name: 'data-sts-1', url: 'http://10.0.0.8:8080' },
  ]);
});

test('a pod that only bears the label does not', () => {
  expect(agentsOf('data', 0, [pod('web', '10.0.0.9'), pod('data-sts-00', '10.0.0.9'), pod('data-sts-x')])).toEqual([]);
});

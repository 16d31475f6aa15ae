import { expect, test } from 'vitest';
import { ZONE } from './contract.ts';
import { explain, type Reason } from './reasons.ts';

const REASONS: readonly [Reason, string][] = [
  [{ fact: 'alreadyRight' }, 'it has the labels that it should have'],
  [{ fact: 'accessModeIsLeftOut', modes: ['ReadWriteMany'] }, '(ReadWriteMany)'],
  [{ fact: 'volumeIsUnclaimed' }, 'no claim has it'],
  [{ fact: 'claimIsGone', claim: 'default/data' }, 'default/data is gone'],
  [{ fact: 'claimIsNotBound', claim: 'default/data' }, 'default/data is not bound to it'],
  [{ fact: 'noPodUsesIt', claim: 'default/data' }, 'no pod mounts its claim default/data'],
  [{ fact: 'noPodIsReady', pods: ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'] }, 'a/1, a/2, a/3 and 2 more'],
  [{ fact: 'nodeIsGone', node: 'node-1', pod: 'a/1' }, 'no node node-1'],
  [{ fact: 'nodeHasNoTopology', node: 'node-1', pod: 'a/1' }, 'label the node'],
  [{ fact: 'nodeValueIsUnusable', node: 'node-1', key: ZONE, fault: 'it is empty' }, `${ZONE} of node node-1`],
  [{ fact: 'aUserWouldBeLeftOut', node: 'node-1', key: ZONE, pod: 'a/1' }, `node-1 has no ${ZONE}`],
  [{ fact: 'placesDoNotFit', key: ZONE, label: 'x'.repeat(70) }, '70 characters, and 63 is the most'],
  [{ fact: 'usedInSeveralPlaces', key: ZONE, values: ['a', 'b'] }, 'a, b'],
  [
    { fact: 'anotherValueIsKept', differences: [{ key: ZONE, is: 'x', wanted: 'a', writer: 'kubectl' }] },
    'is "x", written by kubectl, and would be "a"',
  ],
];

test.each(REASONS)('%j is told in a sentence without a full stop', (reason, part) => {
  expect(explain(reason)).toContain(part);
  expect(explain(reason)).not.toMatch(/[.\n]$/);
});

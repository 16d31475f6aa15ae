import { expect, test } from 'vitest';
import type { AgentRow } from '../../src/console/model.ts';
import { gaugeOf } from './gauge.ts';

const agent = (more: Partial<AgentRow>): AgentRow => ({ pod: 'data-sts-0', state: 'Ready', isReady: true, ...more });

test.each<[string, Partial<AgentRow>, ReturnType<typeof gaugeOf>]>([
  ['how full it is', { capacityBytes: 100, usedBytes: 3 }, { of: 'fill', share: 0.03 }],
  ['that it is full', { capacityBytes: 100, usedBytes: 101 }, { of: 'fill', share: 1 }],
  [
    'how far its drain is, rather than how full it is',
    { capacityBytes: 100, usedBytes: 3, progress: 0.5 },
    { of: 'drain', share: 0.5 },
  ],
  ['nothing where nobody knows how full it is', { capacityBytes: 100 }, { of: 'nothing' }],
])('the ring of an agent shows %s', (_, more, gauge) => {
  expect(gaugeOf(agent(more))).toEqual(gauge);
});

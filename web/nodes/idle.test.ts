import { expect, test } from 'vitest';
import type { NodeRow } from '../../src/console/model.ts';
import { isIdle } from './idle.ts';

const node = (more: Partial<NodeRow> = {}): NodeRow => ({
  ...{ name: 'n', health: 'well', isReady: true, remarks: [], devices: [], groups: [], heard: {} },
  ...more,
});

test('a node without storage of ours is folded away, unless there is something to say of it', () => {
  expect(isIdle(node())).toBe(true);
  for (const more of [
    { remarks: ['The node is cordoned.'] },
    { health: 'unknown' },
    { doubts: { devices: 'Nobody reports.' } },
    { otherVolumes: [] },
  ] as const)
    expect(isIdle(node(more))).toBe(false);
});

import { expect, test } from 'vitest';
import { aNodeReport } from '../../lvm/builders.ts';
import { lvmStatus } from '../../lvm/status.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { lvmPlanOf, planPage } from './lvm.ts';

const NOW = new Date('2026-01-01T00:01:00Z');

test('what is ready stays as it is, and all else is told', () => {
  const volumes = [
    { volume: 'a', state: { is: 'ready' } },
    { volume: 'b', state: { is: 'working', step: 'format' } },
    { volume: 'c', state: { is: 'refused', fact: 'groupIsFull', why: 'fast is full', remedy: 'Make room' } },
    { volume: 'd', state: { is: 'removing', step: 'shred', percent: 40 } },
  ] as const;
  const plan = lvmPlanOf(lvmStatus({ reports: [{ report: aNodeReport({ volumes }) }] }, NOW));
  expect(plan.steps.map(({ volume, does }) => [volume, does])).toEqual([
    ['b', 'go on'],
    ['c', 'refuse'],
    ['d', 'remove'],
  ]);
  expect(rendered(planPage(plan), { ...PLAIN, isWide: true })).toBe(
    [
      'NODE     VOLUME   SIZE   ACTION   CODE          PLAN',
      'node-1   b        -      go on    -             is being made: format',
      'node-1   c        -      refuse   groupIsFull   would be refused: fast is full. Make room.',
      'node-1   d        -      remove   -             is being removed: shred, 40 %',
      '',
      '3 to do; 1 volume stays as it is.',
      '',
      'AGENTS THAT NEED A LOOK',
      'none',
      '',
    ].join('\n'),
  );
});

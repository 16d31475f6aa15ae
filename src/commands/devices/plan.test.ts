import { describe, expect, test } from 'vitest';
import { aNodeReport } from '../../devices/builders.ts';
import type { ReadReport, ReadStanding, ReadState } from '../../devices/node-report.ts';
import { devicesStatus } from '../../devices/status.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { type Plan, planHerePage, planOf, planPage } from './plan.ts';

const planText = (plan: Plan) => rendered(planPage(plan), PLAIN);
const planHereText = (plan: Plan) => rendered(planHerePage(plan), PLAIN);

const MIB = 2 ** 20;
const AT = '2026-01-01T00:00:00Z';

const disk = (name: string, state: ReadState, node: string): ReadStanding => ({
  volume: `local-${node}-${name}`,
  path: `/dev/disks/${name}`,
  state,
  sizeBytes: 400 * MIB,
});

const report = (states: Readonly<Record<string, ReadState>>, parts: Partial<ReadReport> = {}): ReadReport => {
  const { node = 'node-1' } = parts;
  const devices = Object.entries(states).map(([name, state]) => disk(name, state, node));
  return aNodeReport({ at: AT, devices, ...parts });
};

const plan = (...reports: ReadReport[]) =>
  planOf(devicesStatus({ reports: reports.map((each) => ({ report: each })) }, new Date(AT)));

const MOUNTED: ReadState = {
  is: 'refused',
  fact: 'isMounted',
  why: 'is mounted at /data',
  remedy: 'Unmount it',
  canBeApproved: false,
};
const FOREIGN: ReadState = { is: 'refused', fact: 'hasForeignData', why: 'holds xfs', remedy: '', canBeApproved: true };

test('each device that something becomes of is told, with what and whose doing it is', () => {
  const { steps, untouched } = plan(
    report({
      a: { is: 'available' },
      b: { is: 'bound' },
      c: { is: 'new' },
      d: { is: 'released' },
      e: { is: 'wiping', doneBytes: 1, ofBytes: 4 },
      f: { is: 'failed', why: 'EIO' },
      g: MOUNTED,
      h: FOREIGN,
    }),
    report(
      {
        i: { is: 'planned', what: 'make', method: 'zero-head', ofBytes: 100 * MIB },
        j: { is: 'planned', what: 'recycle', method: 'zero-all', ofBytes: 400 * MIB },
        k: MOUNTED,
      },
      { node: 'node-2', isDryRun: true },
    ),
  );
  expect(untouched).toBe(2);
  expect(steps.map(({ volume, does, what, remedy, byItself }) => [volume, does, what, remedy, byItself])).toEqual([
    ['local-node-1-c', 'make', 'would be wiped, and made a volume', undefined, true],
    ['local-node-1-d', 'recycle', 'would be wiped, and made a new volume', undefined, true],
    ['local-node-1-e', 'wipe', 'wiping 25 %, already under way', undefined, true],
    ['local-node-1-f', 'retry', 'would be tried again, since it failed: EIO', undefined, true],
    ['local-node-1-g', 'refuse', 'would be refused: is mounted at /data', 'Unmount it', false],
    [
      'local-node-1-h',
      'refuse',
      'would be refused: holds xfs',
      'If nobody needs what is on it: holdfast devices approve node-1 /dev/disks/h',
      false,
    ],
    ['local-node-2-i', 'make', 'would be made (wiped by zero-head, 100Mi)', undefined, false],
    ['local-node-2-j', 'recycle', 'would be recycled (wiped by zero-all, 400Mi)', undefined, false],
    ['local-node-2-k', 'refuse', 'would be refused: is mounted at /data', 'Unmount it', false],
  ]);
});

describe('people read', () => {
  test('first of all that nothing was done, then what would be, and who does it without being asked', () => {
    expect(planText(plan(report({ a: { is: 'bound' }, b: MOUNTED, c: { is: 'new' } })))).toBe(
      [
        'Nothing was done: this is what the agents would do next, as they have reported it.',
        '',
        'NODE     DEVICE         SIZE    VOLUME           PLAN',
        'node-1   /dev/disks/b   400Mi   local-node-1-b   would be refused: is mounted at /data. Unmount it.',
        'node-1   /dev/disks/c   400Mi   local-node-1-c   would be wiped, and made a volume',
        '',
        '1 to be made, 1 refused; 1 device stays as it is.',
        'The agents of 1 node run without --dry-run: what is not refused they do by themselves.',
        '',
        'AGENTS THAT NEED A LOOK',
        'none',
        '',
      ].join('\n'),
    );
  });

  test('that a dry run only plans, and what is wrong with it', () => {
    const text = planText(plan(report({ b: MOUNTED }, { isDryRun: true, faults: ['deviceDir is missing'] })));
    expect(text).not.toContain('by themselves');
    expect(text).toContain('\nnode-1 only plans: its agent runs with --dry-run\n');
    expect(text).toContain('\nnode-1 touches no device: deviceDir is missing\n');
  });

  test('of this machine alone, what an agent would do there', () => {
    const text = planHereText(plan(report({ b: MOUNTED, c: { is: 'new' } }, { faults: ['deviceDir is missing'] })));
    expect(text).toContain('Nothing was done: this is what an agent would do next on this machine, as it is now.\n');
    expect(text).toContain('\nWhat is not refused, an agent that runs here without --dry-run does by itself.\n');
    expect(text).toContain('\nWHAT NEEDS A LOOK\nnode-1 touches no device: deviceDir is missing\n');
    expect(text).not.toContain('agents');
  });

  test('that there is nothing to do', () => {
    expect(planText(plan(report({ a: { is: 'bound' }, b: { is: 'available' } })))).toContain(
      '\n\nNothing to do; 2 devices stay as they are.\n\nAGENTS',
    );
  });
});

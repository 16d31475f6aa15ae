import { expect, test } from 'vitest';
import { crashesAt, faultsAt } from '../../src/sandbox/simulate/call-faults.ts';
import { WATCH_FAULTS } from '../../src/sandbox/simulate/fault.ts';
import { toyStory } from '../../src/sandbox/simulate/toy-story.ts';
import { casesOf, SIZES, spread } from './cases.ts';
import { minutesOf, seedOf, sizeOf, storiesOf } from './options.ts';
import { inMarkdown, kindOf } from './report.ts';

test.each<[number, number, readonly number[]]>([
  [0, 3, []],
  [2, 3, [1, 2]],
  [9, 1, [1]],
  [9, 3, [1, 5, 9]],
  [3, Number.POSITIVE_INFINITY, [1, 2, 3]],
])('of %i calls, %i are tried: %j', (count, most, nths) => {
  expect(spread(count, most)).toEqual(nths);
});

test('every fault is put at every kind of call, and crashes only around what changes something', async () => {
  const cases = await casesOf(toyStory(), 1, SIZES.small ?? expect.unreachable());
  const at = (call: RegExp, part: string) =>
    cases
      .filter((each) => each.part === part)
      .flatMap(({ faults }) => faults)
      .flatMap((fault) => (fault.at !== 'time' && call.test(fault.call) ? [fault.kind] : []));
  expect(at(/^POST .*\/leases$/, 'crashes').sort()).toEqual(['crash-after', 'crash-before']);
  expect(at(/^GET /, 'crashes')).toEqual([]);
  expect(at(/^GET .*\/configmaps$/, 'calls')).toEqual(faultsAt('GET /api/v1/configmaps'));
  expect(new Set(at(/configmaps/, 'watches'))).toEqual(new Set(WATCH_FAULTS));
});

test('what was tried and found is told with what failed first, and how to see it again', async () => {
  const cases = (await casesOf(toyStory(), 1, { each: 1, random: 0, worlds: 0 })).map((each, index) => ({
    ...each,
    struck: index === 0 ? [] : each.faults,
  }));
  const [each = expect.unreachable()] = cases;
  const found = [{ each, wrong: ['pv-7 is lost'], replay: 'holdfast simulate --seed 1', shortened: 'what it takes' }];
  const report = inMarkdown({ command: 'make it', played: cases, planned: cases.length + 1, found });
  expect(report).toContain(`\`make it\` played ${cases.length} of ${cases.length + 1} cases, and 1 failed.`);
  expect(report).toContain('- pv-7 is lost\n  `holdfast simulate --seed 1`');
  expect(report).toContain(`Of ${cases.length} faults, 1 met nothing`);
  expect(report).toMatch(/\| `toy: PUT \S+\/leases\/holdfast-toy` \|/);
  expect(kindOf(['pv-7 is lost'])).toBe(kindOf(['pv-12 is lost']));
});

test.each([
  ['GET /api/v1/pods', 'conflict'],
  ['GET /api/v1/pods', 'lost-reply'],
  ['PATCH /api/v1/pods/a', 'expired'],
  ['STORE write a', 'conflict'],
  ['STORE list a', 'torn'],
  ['look lvs', 'lost-reply'],
  ['file.write /a', 'killed'],
  ['ASK agent-0', 'conflict'],
] as const)('at %s there is no %s: its caller could not tell it from another', (call, fault) => {
  expect(faultsAt(call)).not.toContain(fault);
});

test.each([
  ['PATCH /api/v1/pods/a', 'conflict'],
  ['STORE write-if a', 'conflict'],
  ['STORE read a', 'torn'],
  ['STORE read a', 'denied'],
  ['exec lvcreate', 'killed'],
  ['exec lvcreate', 'lost-reply'],
  ['DECOMMISSION agent-0', 'lost-reply'],
] as const)('at %s there is %s', (call, fault) => {
  expect(faultsAt(call)).toContain(fault);
  expect(new Set(faultsAt(call)).size).toBe(faultsAt(call).length);
});

test('nothing crashes around what only looks', () => {
  expect(['GET /a', 'WATCH /a', 'STORE list a', 'look lvs', 'table.mounts m', 'ASK a'].flatMap(crashesAt)).toEqual([]);
});

test.each([
  () => minutesOf('abc'),
  () => minutesOf('-1'),
  () => minutesOf(''),
  () => seedOf('x'),
  () => seedOf('1.5'),
  () => sizeOf('huge'),
  () => storiesOf(['nothing']),
])('%o is refused', (read) => {
  expect(read).toThrow(/use /);
});

test('without minutes a campaign plays everything', () => {
  expect(minutesOf(undefined)).toBe(Number.POSITIVE_INFINITY);
  expect(minutesOf('0.5')).toBe(0.5);
});

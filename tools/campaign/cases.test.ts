import { expect, test } from 'vitest';
import { CALL_FAULTS, WATCH_FAULTS } from '../../src/sandbox/simulate/fault.ts';
import { toyStory } from '../../src/sandbox/simulate/toy-story.ts';
import { casesOf, SIZES, spread } from './cases.ts';
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
  expect(at(/^GET .*\/configmaps$/, 'calls').length).toBe(CALL_FAULTS.length - 2);
  expect(new Set(at(/configmaps/, 'watches'))).toEqual(new Set(WATCH_FAULTS));
});

test('what was tried and found is told with what failed first, and how to see it again', async () => {
  const cases = await casesOf(toyStory(), 1, { each: 1, random: 0, worlds: 0 });
  const [each = expect.unreachable()] = cases;
  const found = [{ each, wrong: ['pv-7 is lost'], replay: 'holdfast simulate --seed 1', shortened: 'what it takes' }];
  const report = inMarkdown({ command: 'make it', played: cases, planned: cases.length + 1, found });
  expect(report).toContain(`\`make it\` played ${cases.length} of ${cases.length + 1} cases, and 1 failed.`);
  expect(report).toContain('- pv-7 is lost\n  `holdfast simulate --seed 1`');
  expect(report).toMatch(/\| `toy: PUT \S+\/leases\/holdfast-toy` \|/);
  expect(kindOf(['pv-7 is lost'])).toBe(kindOf(['pv-12 is lost']));
});

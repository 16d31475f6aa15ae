import { expect, test } from 'vitest';
import { help, isWhole, optionsOf } from './options.ts';

const GROUPS = ['kit', 'soak', 'topology'];
const options = (...args: readonly string[]) => optionsOf(args, GROUPS);

test('without anything, all groups are run, each figure three times', () => {
  expect(options()).toMatchObject({ groups: GROUPS, only: [], rounds: 3, quick: false, minutes: 20 });
});

test('a quick run has one round, and few minutes', () => {
  expect(options('kit', '--quick')).toMatchObject({ groups: ['kit'], rounds: 1, minutes: 2 });
  expect(options('--quick', '--rounds=2', '--minutes', '0.5')).toMatchObject({ rounds: 2, minutes: 0.5 });
});

test('a part of the benchmarks, of the sizes or of the time is not the whole', () => {
  expect(isWhole(options())).toBe(true);
  expect(isWhole(options('--minutes=60'))).toBe(true);
  for (const part of ['--only=start', '--largest=10', '--minutes=1', '--quick'])
    expect(isWhole(options(part))).toBe(false);
});

test('what there is not is answered with what is like it', () => {
  expect(() => options('--round', '3')).toThrow('there is no option --round: did you mean --rounds?');
  expect(() => options('topolgy')).toThrow('there is no benchmark group topolgy: did you mean topology?');
  expect(() => options('zzzzz')).toThrow('there is no benchmark group zzzzz: there are kit, soak, topology');
});

test('a value that is missing or cannot be is told', () => {
  expect(() => options('--rounds')).toThrow(/--rounds/);
  expect(() => options('--rounds=many')).toThrow('--rounds is a number above 0, and not "many"');
  expect(() => options('--minutes=0')).toThrow('--minutes is a number above 0, and not "0"');
});

test('help names every group by its first sentence, and every option', () => {
  const text = help(new Map([['kit', 'What the runtime costs. And more.']]));
  expect(text).toContain('  kit        What the runtime costs\n');
  for (const option of ['--quick', '--only', '--rounds', '--largest', '--minutes', '--renew', '--record', '--help'])
    expect(text).toContain(`  ${option === '--help' ? '-h, ' : ''}${option}`);
});

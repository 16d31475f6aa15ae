import { expect, test } from 'vitest';
import { type Bench, FailsWithoutABug, type Selection, Trials } from './trial.ts';

const near: Selection = { how: 'run', project: 'unit', files: ['src/a.test.ts'] };
const far: Selection = { how: 'related', project: 'unit', files: ['src/a.ts'] };
const bug = { file: 'src/a.ts', source: 'a bug' };

/** Tests that find the bug by the named selections, and others that always fail. */
function aBench({ finding = [], broken = [] }: { finding?: readonly Selection[]; broken?: readonly Selection[] }) {
  const runs: string[] = [];
  let has = '';
  const bench: Bench = {
    put: ({ source }) => {
      has = source;
    },
    takeOut: () => {
      has = '';
    },
    pass: (selection) => {
      runs.push(`${selection.how} with ${has || 'nothing'}`);
      return !broken.includes(selection) && !(has && finding.includes(selection));
    },
  };
  return { trials: new Trials(bench), runs, has: () => has };
}

test('a bug is found by tests that fail with it and pass without it', () => {
  const { trials, runs, has } = aBench({ finding: [far] });
  expect(trials.isFound(bug, [near, far])).toBe(true);
  expect(runs).toEqual(['run with a bug', 'related with a bug', 'related with nothing']);
  expect(has()).toBe('');
});

test('a bug that no test fails with is not found', () => {
  const { trials, has } = aBench({});
  expect(trials.isFound(bug, [near, far])).toBe(false);
  expect(has()).toBe('');
});

test('tests that fail without a bug, too, are an error and find nothing', () => {
  const { trials, has } = aBench({ broken: [far] });
  expect(() => trials.isFound(bug, [near, far])).toThrow(FailsWithoutABug);
  expect(has()).toBe('');
});

test('that tests pass without a bug is seen once', () => {
  const { trials, runs } = aBench({ finding: [near] });
  trials.isFound(bug, [near]);
  trials.isFound(bug, [near]);
  expect(runs).toEqual(['run with a bug', 'run with nothing', 'run with a bug']);
});

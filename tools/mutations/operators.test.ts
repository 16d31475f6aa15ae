import { expect, test } from 'vitest';
import { mutantsOf } from './operators.ts';

const bugsIn = (source: string) => mutantsOf(source).map(({ bug, after }) => `${bug}: ${after}`);

test.each([
  ['const a = b === c;', 'equal for different: const a = b !== c;'],
  ['const a = b && c;', 'or for and: const a = b || c;'],
  ['const a = b < 3;', 'a limit one too high: const a = b <= 3;'],
  ['const a = (!b);', 'a forgotten not: const a = (b);'],
  ['const a = list.some(isOurs);', 'every for some: const a = list.every(isOurs);'],
  ['const a = { is: true };', 'false for true: const a = { is: false };'],
  ['const a = b + 1;', 'minus for plus: const a = b - 1;'],
])('%s', (source, mutant) => {
  expect(bugsIn(source)).toEqual([mutant]);
});

test('a guard is left out', () => {
  const source = 'function f(a) {\n  if (a.isOurs) return 1;\n  return 2;\n}';
  expect(bugsIn(source)).toEqual(['a guard left out: ;']);
});

test('nothing is changed in comments, texts and types, and nothing that would be no program', () => {
  expect(bugsIn("// a === b\nconst a = 'b && c';\n/** a < b */\n")).toEqual([]);
  expect(bugsIn('type A = { readonly is: true };\nconst a = b ?? c;')).toEqual([]);
  expect(bugsIn('const a = (b ?? c) && d;')).toEqual(['or for and: const a = (b ?? c) || d;']);
  expect(bugsIn('const a = b && c && (d ?? e);')).toHaveLength(2);
});

test('each has the whole source, with one change', () => {
  const [first, second] = mutantsOf('const a = b === c;\nconst d = e === f;\n');
  expect(first).toMatchObject({ line: 1, source: 'const a = b !== c;\nconst d = e === f;\n' });
  expect(second).toMatchObject({ line: 2, before: 'const d = e === f;' });
});

/** Small bugs that are put into a source on purpose, one at a time: each is what a tired person could have written. Pure. */
import { stripTypeScriptTypes } from 'node:module';

export interface Mutant {
  /** Counted from 1. */
  readonly line: number;
  readonly bug: string;
  readonly before: string;
  readonly after: string;
  /** The whole source with the bug in it. */
  readonly source: string;
}

interface Operator {
  readonly bug: string;
  readonly find: RegExp;
  readonly replace: string;
}

const OPERATORS: readonly Operator[] = [
  { bug: 'equal for different', find: / === /g, replace: ' !== ' },
  { bug: 'different for equal', find: / !== /g, replace: ' === ' },
  { bug: 'or for and', find: / && /g, replace: ' || ' },
  { bug: 'and for or', find: / \|\| /g, replace: ' && ' },
  { bug: 'a limit one too low', find: / <= /g, replace: ' < ' },
  { bug: 'a limit one too high', find: / < /g, replace: ' <= ' },
  { bug: 'a limit one too high', find: / >= /g, replace: ' > ' },
  { bug: 'a limit one too low', find: / > /g, replace: ' >= ' },
  { bug: 'a forgotten not', find: /(?<=[(\s])!(?=[\w(])/g, replace: '' },
  { bug: 'every for some', find: /\.some\(/g, replace: '.every(' },
  { bug: 'some for every', find: /\.every\(/g, replace: '.some(' },
  { bug: 'false for true', find: /(?<=[=(:?,] )true\b(?=[;,)\s])/g, replace: 'false' },
  { bug: 'true for false', find: /(?<=[=(:?,] )false\b(?=[;,)\s])/g, replace: 'true' },
  { bug: 'minus for plus', find: / \+ (?=[\w(])/g, replace: ' - ' },
  { bug: 'plus for minus', find: / - (?=[\w(])/g, replace: ' + ' },
  { bug: 'the smaller of the two', find: /Math\.max\(/g, replace: 'Math.min(' },
  { bug: 'the larger of the two', find: /Math\.min\(/g, replace: 'Math.max(' },
  { bug: 'a guard left out', find: /^( *)if \((?!.*\{$).*\) (?:return|throw|continue)\b.*;$/gm, replace: '$1;' },
];

/** All of them, in the order of the source. Those that are no longer a program are left out. */
export function mutantsOf(source: string): readonly Mutant[] {
  const code = blanked(source);
  const program = programOf(source);
  return OPERATORS.flatMap((operator) =>
    [...code.matchAll(operator.find)].map((match) => mutantAt(source, operator, match)),
  )
    .filter(({ source: mutated }) => isAnotherProgram(mutated, program))
    .toSorted((one, other) => one.line - other.line);
}

function mutantAt(source: string, { bug, find, replace }: Operator, { index, 0: found }: RegExpExecArray): Mutant {
  const original = source.slice(index, index + found.length);
  const changed = original.replace(new RegExp(find.source, find.flags.replace('g', '')), replace);
  const replaced = changed === original ? replace : changed; // what looks around itself does not match alone
  const mutated = source.slice(0, index) + replaced + source.slice(index + found.length);
  const line = source.slice(0, index).split('\n').length;
  return { line, bug, before: lineOf(source, line), after: lineOf(mutated, line), source: mutated };
}

const lineOf = (text: string, line: number): string => text.split('\n')[line - 1]?.trim() ?? '';

/** Types leave blanks behind, as many as they were long. */
const programOf = (source: string): string => stripTypeScriptTypes(source).replace(/\s+/g, ' ');

/** A change of a type is none of the program, and is nothing that a test could find. */
function isAnotherProgram(mutated: string, program: string): boolean {
  try {
    return programOf(mutated) !== program;
  } catch {
    return false;
  }
}

/** The same length, with blanks for what stands in comments and in texts: no bug is put there. */
function blanked(source: string): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return source.replace(token, (text) => text.replace(/[^\n]/g, ' '));
}

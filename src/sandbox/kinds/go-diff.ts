/** How the server shows which part of something that must not change did: both in the words of its Go types, line by line. */
import type { Json } from '../json.ts';

const CONTEXT = 3;

/** As `diff -u` tells it, without the names of the files. */
export function goDiff(before: Json, after: Json): string {
  const steps = stepsBetween(linesOf(before), linesOf(after));
  return hunksOf(steps).map(hunkText).join('');
}

const linesOf = (value: Json): readonly string[] => JSON.stringify(value, null, 1).split('\n');

interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
  /** How many lines of each came before. */
  readonly old: number;
  readonly fresh: number;
}

/** By the longest common subsequence: what is to be taken out comes before what is put in its place. */
function stepsBetween(old: readonly string[], fresh: readonly string[]): readonly Step[] {
  const common = lengths(old, fresh);
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const place = { old: i, fresh: j };
    const isSame = i < old.length && j < fresh.length && old[i] === fresh[j];
    const takesOld = i < old.length && (j >= fresh.length || (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0));
    if (isSame) steps.push({ ...place, sign: ' ', line: old[i] ?? '' });
    else if (takesOld) steps.push({ ...place, sign: '-', line: old[i] ?? '' });
    else steps.push({ ...place, sign: '+', line: fresh[j] ?? '' });
    if (isSame || takesOld) i++;
    if (isSame || !takesOld) j++;
  }
  return steps;
}

/** Of the common subsequence of what is left from each pair of places on. */
function lengths(old: readonly string[], fresh: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const isSame = old[i] === fresh[j];
      const best = Math.max(table[i + 1]?.[j] ?? 0, table[i]?.[j + 1] ?? 0);
      (table[i] as number[])[j] = isSame ? (table[i + 1]?.[j + 1] ?? 0) + 1 : best;
    }
  }
  return table;
}

function hunksOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const near = (index: number) =>
    steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  const hunks: Step[][] = [];
  steps.forEach((step, index) => {
    if (!near(index)) return;
    if (index === 0 || !near(index - 1)) hunks.push([]);
    hunks.at(-1)?.push(step);
  });
  return hunks;
}

function hunkText(hunk: readonly Step[]): string {
  const [first] = hunk;
  const count = (sign: '-' | '+') => hunk.filter((step) => step.sign === sign || step.sign === ' ').length;
  const head = `@@ -${(first?.old ?? 0) + 1},${count('-')} +${(first?.fresh ?? 0) + 1},${count('+')} @@\n`;
  return head + hunk.map(({ sign, line }) => `${sign}${line}\n`).join('');
}

/** What the Dockerfile says. For tests. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Target {
  readonly from: string;
  readonly lines: readonly (readonly [instruction: string, rest: string])[];
}

/** Each by its name, with the instructions in it. */
export const targets: ReadonlyMap<string, Target> = new Map(
  read('Dockerfile')
    .split(/^FROM /m)
    .slice(1)
    .map((text) => {
      const [first = '', ...rest] = text.split('\n');
      const [from = '', name = ''] = first.split(' AS ');
      const lines = rest
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)] as const);
      return [name, { from, lines }];
    }),
);

export function said(name: string, instruction: string): readonly string[] {
  const { from, lines } = targets.get(name) ?? { from: '', lines: [] };
  const own = lines.filter(([what]) => what === instruction).map(([, rest]) => rest);
  return own.length > 0 || !targets.has(from) ? own : said(from, instruction);
}

/** Into where it builds, from the checkout. */
export const copied = said('build', 'COPY').flatMap((text) => text.split(' ').slice(0, -1));

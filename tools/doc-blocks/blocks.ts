/**
 * The blocks of commands on the pages of documentation. Right above each stands where a test runs it, or why none does:
 *
 * - `<!-- run: PLACE -->`: test/integration/docs/blocks.test.ts runs it in that place;
 * - `<!-- run: PLACE, ends with 1 -->`: the same, where that is how it should end;
 * - `<!-- not run: why -->`: nobody does;
 * - `<!-- not run (its beginning): why -->`: nobody runs the commands that begin so; the others are run.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Each is prepared by the test that runs the commands; what `make` does is run by the tiers themselves. */
export const PLACES = ['demo', 'pool', 'release', 'kubectl', 'originals', 'machine', 'make'] as const;
export type Place = (typeof PLACES)[number];

export interface Block {
  readonly page: string;
  /** Where it begins. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** As it is written; nothing where there is no mark. */
  readonly run: string | undefined;
  /** What its last command ends with. */
  readonly endsWith: number;
  readonly notRun: readonly NotRun[];
}

interface NotRun {
  /** The commands that begin so; all of them if it is empty. */
  readonly beginning: string;
  readonly why: string;
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'charts/holdfast/README.md', 'docs/**/*.md'];
const FENCED = /((?:^<!-- (?:run|not run)[^\n]*-->\n)*)^( *)```(\w*)\n(.*?)^\2```$/gms;

export const LANGUAGES = ['sh', 'console'];

export const docPages = (): readonly string[] => globSync(PAGES, { cwd: root }).toSorted();

/** Those that are typed into a shell. */
export const blocksOf = (page: string, text = readFileSync(join(root, page), 'utf8')): readonly Block[] =>
  fencesOf(page, text).filter(({ language }) => LANGUAGES.includes(language));

export const fencesOf = (page: string, text = readFileSync(join(root, page), 'utf8')): readonly Block[] =>
  [...text.matchAll(FENCED)].map(({ index, 1: marks = '', 3: language = '', 4: body = '' }) => ({
    page,
    line: text.slice(0, index).split('\n').length + marks.split('\n').length - 1,
    language,
    text: body,
    run: /^<!-- run: (.+?)(?:, ends with \d+)? -->$/m.exec(marks)?.[1],
    endsWith: Number(/^<!-- run: .+, ends with (\d+) -->$/m.exec(marks)?.[1] ?? 0),
    notRun: [...marks.matchAll(/^<!-- not run(?: \((.+?)\))?: (.+?) -->$/gm)].map(([, beginning = '', why = '']) => ({
      beginning,
      why,
    })),
  }));

/** One for each, whatever lines it has; with what it may be preceded by in a session. */
export function commandsOf({ language, text }: Block): readonly string[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const typed = language === 'console' ? lines.filter((line) => line.startsWith('$ ')) : lines;
  return typed.map((line) => line.replace(/^\$ /, '').trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/** What is run of it. */
export const commandsToRun = (block: Block): readonly string[] =>
  commandsOf(block).filter((command) => !block.notRun.some(({ beginning }) => command.startsWith(beginning)));

/** What is wrong with the marks of a block. */
export function faultsOf(block: Block): readonly string[] {
  const { run, notRun } = block;
  const commands = commandsOf(block);
  const idle = notRun.filter(({ beginning }) => !commands.some((command) => command.startsWith(beginning)));
  return [
    ...(run === undefined && notRun.every(({ beginning }) => beginning !== '')
      ? ['nothing says where it is run, or why not']
      : []),
    ...(run !== undefined && !PLACES.some((place) => place === run) ? [`there is no place ${run}`] : []),
    ...(run !== undefined && commandsToRun(block).length === 0 ? ['all of it is marked as not run'] : []),
    ...(run === undefined && notRun.length > 1 ? ['what is not run at all needs one mark'] : []),
    ...idle.map(({ beginning }) => `none of its commands begins with ${beginning}`),
  ];
}

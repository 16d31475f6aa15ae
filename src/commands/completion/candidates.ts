/**
 * What could stand where a person presses Tab: commands, subcommands, flags, their values, jobs and codes. What is printed is what
 * cobra's programs print, so that kubectl understands it as well: a line for each, and at the end whether file names could stand there.
 */
import { Command, type Option } from 'commander';
import { Flag } from '../flags/flag.ts';
import type { CommandEntry, Terminal } from '../line/command.ts';
import { argumentsOf } from '../line/completes.ts';
import { TOPICS } from '../line/topics.ts';

export interface Candidate {
  readonly word: string;
  readonly what: string;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Nothing of ours can stand there, but the name of a file. */
  readonly isFile: boolean;
}

/** `words` are those after the name of the program; the last one is not finished, and may be empty. */
export async function candidatesFor(
  commands: readonly CommandEntry[],
  words: readonly string[],
  terminal: Terminal,
): Promise<Candidates> {
  const typed = withoutSigns(words);
  const [first = '', ...others] = typed;
  if (others.length === 0) return only(first, commandsIn(commands));
  if (first === 'help') return only(others.at(-1) ?? '', others.length === 1 ? helpable(commands) : []);
  const entry = commands.find(({ name }) => name === first);
  if (!entry) return none;
  const command = new Command(entry.name);
  (await entry.load()).define(command, terminal);
  return within(command, others);
}

/** bash takes `--output=json` for three words. */
const withoutSigns = (words: readonly string[]): readonly string[] => {
  const kept = words.flatMap((word, index) => (word === '=' && words[index - 1]?.startsWith('-') ? [] : [word]));
  return words.at(-1) === '=' ? [...kept, ''] : kept;
};

const none: Candidates = { candidates: [], isFile: false };

const commandsIn = (commands: readonly CommandEntry[]): readonly Candidate[] => [
  ...commands.filter(({ isHidden }) => !isHidden).map(({ name, summary }) => ({ word: name, what: summary })),
  { word: 'help', what: 'how to use the program, or one command of it' },
  HELP,
];

const HELP: Candidate = { word: '--help', what: 'how to use it' };

const helpable = (commands: readonly CommandEntry[]): readonly Candidate[] => [
  ...commandsIn(commands).filter(({ word }) => word !== 'help' && word !== '--help'),
  ...Object.entries(TOPICS).map(([word, { summary }]) => ({ word, what: summary })),
];

function within(start: Command, words: readonly string[]): Candidates {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  let command = start;
  let awaiting: Option | undefined;
  for (const word of before) {
    if (awaiting) awaiting = undefined;
    else if (word === '--') return none;
    else if (word.startsWith('-')) awaiting = word.includes('=') ? undefined : valued(command, word);
    else command = command.commands.find((sub) => sub.name() === word) ?? command;
  }
  if (awaiting) return valuesOf(awaiting, last, '');
  const [, name, value] = /^(--?[^=]+)=(.*)$/s.exec(last) ?? [];
  const option = name === undefined ? undefined : valued(command, name);
  if (option) return valuesOf(option, value ?? '', `${name}=`);
  if (last.startsWith('-')) return only(last, flagsOf(command));
  return only(last, [...subcommandsOf(command), ...argumentsOf(command).map((word) => ({ word, what: '' }))]);
}

/** The flag of that name, if it takes a value that may be the next word. */
function valued(command: Command, typed: string): Option | undefined {
  const name = typed.replace(/^--?/, '');
  return command.options.find(
    ({ long, short, required }) => required && (long === `--${name}` || short === `-${name}`),
  );
}

const FILES = /^(file|directory|path)$/;

function valuesOf(option: Option, typed: string, prefix: string): Candidates {
  const placeholder = option instanceof Flag ? option.kind.placeholder : '';
  if (FILES.test(placeholder)) return { candidates: [], isFile: true };
  const words = /^[\w-]+(\|[\w-]+)+$/.test(placeholder) ? placeholder.split('|') : [];
  const found = only(
    typed,
    words.map((word) => ({ word, what: '' })),
  );
  return { ...found, candidates: found.candidates.map(({ word, what }) => ({ word: `${prefix}${word}`, what })) };
}

const flagsOf = ({ options }: Command): readonly Candidate[] => [
  ...options.map(({ long, flags, description }) => ({ word: long ?? flags, what: description })),
  HELP,
];

const subcommandsOf = ({ commands }: Command): readonly Candidate[] =>
  commands.map((sub) => ({ word: sub.name(), what: sub.summary() }));

const only = (typed: string, all: readonly Candidate[]): Candidates => ({
  candidates: all.filter(({ word }) => word.startsWith(typed)),
  isFile: false,
});

/** As cobra numbers them. */
const DIRECTIVES = { files: ':0', noFiles: ':4' };

export const printed = ({ candidates, isFile }: Candidates): string =>
  [
    ...candidates.map(({ word, what }) => (what === '' ? word : `${word}\t${what}`)),
    isFile ? DIRECTIVES.files : DIRECTIVES.noFiles,
  ]
    .map((line) => `${line}\n`)
    .join('');

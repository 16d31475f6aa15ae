/** How help reads: commands grouped by what they do to a cluster, flags with their default and variable, examples at the end. */
import type { Command, HelpConfiguration, Option } from 'commander';
import { Flag } from '../flags/flag.ts';
import type { Group } from './command.ts';

export const GROUP_HEADINGS: Readonly<Record<Group, string>> = {
  run: 'Run (jobs that keep running):',
  look: 'Look (reads, changes nothing):',
  act: 'Act (changes something, once):',
};

export const helpStyle: HelpConfiguration = {
  optionTerm: (option) => (isSwitch(option) ? option.flags.replace(/ \[.*/, '') : option.flags),
  optionDescription: (option) => [option.description, notesOn(option)].filter(Boolean).join(' '),
  styleTitle: (title) => (title === 'Options:' ? 'Flags:' : title),
  subcommandTerm: (command) => command.name(),
};

const isSwitch = (option: Option): boolean => option instanceof Flag && option.kind.isSwitch === true;

function notesOn(option: Option): string {
  if (!(option instanceof Flag)) return '';
  const { settings } = option;
  const notes = [
    settings.required && 'required',
    settings.default !== undefined && `default ${settings.default}`,
    settings.env && `env ${settings.env}`,
  ].filter(Boolean);
  return notes.length === 0 ? '' : `(${notes.join(', ')})`;
}

/** Examples teach faster than flags: each is a line that can be typed, and what it is for. */
export function addExamples(command: Command, examples: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(examples).map((line) => line.length));
  const lines = Object.entries(examples).map(([line, purpose]) => `  ${line.padEnd(width)}  ${purpose}`);
  command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}

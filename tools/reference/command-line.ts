/** Every command with its flags, from the code. */
import { Command } from 'commander';
import { commands } from '../../src/commands/commands.ts';
import { Flag } from '../../src/commands/flags/flag.ts';
import type { Group } from '../../src/commands/line/command.ts';
import { GROUP_HEADINGS } from '../../src/commands/line/help.ts';
import { aTerminal } from '../../src/commands/line/recorded-terminal.ts';
import { EXIT_CODES } from '../../src/commands/line/topics.ts';
import { code, table } from './table.ts';

const shown = commands.filter(({ isHidden }) => !isHidden);

const defined = await Promise.all(
  shown.map(async ({ name, summary, group, load }) => {
    const command = new Command(name).usage('[flags]').summary(summary).description(sentence(summary));
    (await load()).define(command, aTerminal());
    return { group, command };
  }),
);

const GROUPS: readonly Group[] = ['look', 'act', 'run'];

export const commandTable = (): string =>
  table(
    ['command', 'what'],
    GROUPS.flatMap((group) => [
      [`**${GROUP_HEADINGS[group].replace(/:$/, '')}**`, ''],
      ...defined.filter((each) => each.group === group).map(({ command }) => [link(command.name()), command.summary()]),
    ]),
  );

const link = (name: string): string => `[${code(`holdfast ${name}`)}](#holdfast-${name})`;

export const commandSections = (): string =>
  GROUPS.flatMap((group) => defined.filter((each) => each.group === group))
    .flatMap(({ command }) => sectionsOf(command, 'holdfast'))
    .join('\n');

function sectionsOf(command: Command, above: string): readonly string[] {
  const name = `${above} ${command.name()}`;
  const parts = [
    `${above === 'holdfast' ? '##' : '###'} ${name}\n`,
    `${command.description() || sentence(command.summary())}\n`,
    `Usage: ${code(`${name} ${command.usage()}`)}\n`,
    ...(command.options.length > 0 ? [flagTable(command)] : []),
  ];
  return [parts.join('\n'), ...command.commands.flatMap((sub) => sectionsOf(sub, name))];
}

const flagTable = ({ options }: Command): string =>
  table(
    ['flag', 'default', 'what'],
    options.map((option) => {
      const { default: preset, env, required } = option instanceof Flag ? option.settings : {};
      const notes = [required && 'has to be given', env && `or ${code(env)}`].filter(Boolean).join(', ');
      const what = option.description.replaceAll('|', '\\|');
      const spelling = option.flags.replace(/ \[.*\]$/, '');
      return [code(spelling), preset === undefined ? '' : code(preset), notes === '' ? what : `${what} (${notes})`];
    }),
  );

/** Every flag, with the command that has it. */
export const flagsOfAllCommands = (): readonly { readonly command: string; readonly flag: Flag<unknown> }[] =>
  defined.flatMap(({ command }) => flagsOf(command, 'holdfast'));

function flagsOf(command: Command, above: string): ReturnType<typeof flagsOfAllCommands> {
  const name = `${above} ${command.name()}`;
  const own = command.options.flatMap((option) => (option instanceof Flag ? [{ command: name, flag: option }] : []));
  return [...own, ...command.commands.flatMap((sub) => flagsOf(sub, name))];
}

export const exitCodeTable = (): string =>
  table(
    ['code', 'when'],
    Object.entries(EXIT_CODES).map(([exitCode, what]) => [exitCode, what]),
  );

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

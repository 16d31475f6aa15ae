/**
 * Rewrites arguments so that commander reads them as Go programs do: one dash before a long flag is as good as two
 * (`-node-name x`, `-node-name=x`), and a switch takes a value only after `=`. Short flags and clusters (`-R`, `-sv`)
 * keep their meaning, unless a whole long flag is spelled like that.
 */
import type { Command, Option } from 'commander';
import { Flag } from '../flags/flag.ts';

/** Every flag comes out as `--name` or `--name=value`, or not at all if that is what its empty value means. Unknown ones, and all that follows `--`, are left for commander to judge. */
export function goStyle(program: Command, args: readonly string[]): string[] {
  const written: string[] = [];
  const rest = [...args];
  let command = program;
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') return [...written, arg, ...rest];
    command = subcommandOf(command, arg) ?? command;
    written.push(...rewrite(command, arg, rest));
  }
  return written;
}

/** The command that the arguments lead to, subcommands included. Takes what `goStyle` returned. */
export function commandOf(program: Command, args: readonly string[]): Command {
  return args.reduce((command, arg) => subcommandOf(command, arg) ?? command, program);
}

const subcommandOf = (command: Command, name: string): Command | undefined =>
  command.commands.find((sub) => sub.name() === name || sub.aliases().includes(name));

/** `rest` is what follows the argument; a flag takes its value from there. */
function rewrite(command: Command, arg: string, rest: string[]): string[] {
  const [, dashes, name = '', value] = /^(--?)([A-Za-z][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  if (dashes === undefined) return [arg];
  const option = optionOf(command, `--${name}`) ?? optionOf(command, `${dashes}${name}`);
  if (option) return spelled(option, value, rest);
  if (dashes === '--') return [arg];
  // What is neither a flag nor a cluster gets its second dash all the same: commander then suggests the nearest flag.
  return spelledCluster(command, arg.slice(1), rest) ?? (name.length > 1 ? [`-${arg}`] : [arg]);
}

function spelledCluster(command: Command, letters: string, rest: string[]): string[] | undefined {
  const option = optionOf(command, `-${letters[0]}`);
  const others = letters.slice(1);
  if (!option || others === '' || takesValue(option)) return option && spelled(option, others || undefined, rest);
  const more = spelledCluster(command, others, rest);
  return more && [...spelled(option, undefined, rest), ...more];
}

function spelled(option: Option, value: string | undefined, rest: string[]): string[] {
  const name = option.long ?? option.flags;
  const given = value ?? (takesValue(option) ? rest.shift() : isSwitch(option) ? 'true' : undefined);
  if (given === '' && option instanceof Flag && option.settings.emptyIsUnset) return [];
  return [given === undefined ? name : `${name}=${given}`];
}

function optionOf(command: Command | null, name: string): Option | undefined {
  if (!command) return undefined;
  return command.options.find(({ short, long }) => short === name || long === name) ?? optionOf(command.parent, name);
}

const isSwitch = (option: Option): boolean => option instanceof Flag && option.kind.isSwitch === true;
const takesValue = (option: Option): boolean => option.required;

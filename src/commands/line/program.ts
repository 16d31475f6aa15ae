/** The command line as a whole: picks the one command that is asked for, reads only its file, runs it and says how it ended. */
import { Command, type OutputConfiguration } from 'commander';
import { buildInfo } from '../../kit/build-info.ts';
import { COMPLETE, type Invocation } from '../invoked-as.ts';
import type { CommandEntry, Terminal } from './command.ts';
import { commandOf, goStyle } from './go-style.ts';
import { addExamples, GROUP_HEADINGS, helpStyle } from './help.ts';
import { type Outcome, outcomeOf, SUCCESS } from './outcome.ts';
import { TOPICS } from './topics.ts';
import { UsageError } from './usage-error.ts';

/** What `holdfast` can do. */
export interface Catalogue {
  readonly commands: readonly CommandEntry[];
  /** The last lines of the help: what to type, and what it is for. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Runs one command line to its end and returns the exit code. Nothing is thrown. */
export async function runCommandLine(
  catalogue: Catalogue,
  invocation: Invocation,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const program = programOf(catalogue, invocation, terminal);
  const { exitCode, message } = await outcomeOfParsing(program, catalogue.commands, invocation, args, terminal);
  if (message !== '') terminal.stderr.write(message);
  return exitCode;
}

async function outcomeOfParsing(
  program: Command,
  commands: readonly CommandEntry[],
  invocation: Invocation,
  args: readonly string[],
  terminal: Terminal,
): Promise<Outcome> {
  let chosen = program;
  const topic = invocation.command === undefined && args[0] === 'help' ? TOPICS[args[1] ?? ''] : undefined;
  if (topic) {
    terminal.stdout.write(topic.text);
    return SUCCESS;
  }
  try {
    const asked = askedFor(commands, invocation, args);
    await loadChosen(program, commands, asked, terminal);
    const ready = goStyle(program, asked);
    chosen = commandOf(program, ready);
    await program.parseAsync(ready, { from: 'user' });
    return SUCCESS;
  } catch (error) {
    return outcomeOf(error, fullNameOf(chosen), Boolean(terminal.env.HOLDFAST_DEBUG));
  }
}

/** The arguments in full: with the command that the program's name stands for, and with help where nothing was asked. */
function askedFor(
  commands: readonly CommandEntry[],
  { name, command }: Invocation,
  args: readonly string[],
): readonly string[] {
  if (command === undefined) return withoutHelpOnNothing(commands, spelledOut(args));
  // What a shell completes is not for us to read.
  if (command === COMPLETE) return [command, '--', ...args];
  if (commands.some((entry) => entry.name === command)) return [command, ...args];
  const { version } = buildInfo();
  throw new UsageError(`${name} stands for "holdfast ${command}", which version ${version} does not have yet`);
}

function spelledOut(args: readonly string[]): readonly string[] {
  const [first, ...others] = args;
  if (first === undefined) return ['--help'];
  if (first === 'help') return [...others, '--help'];
  return first === '--version' || first === '-version' ? ['version', ...others] : args;
}

/** Help on a command that there is not would be help on the program: then commander tells, and suggests the nearest. */
function withoutHelpOnNothing(commands: readonly CommandEntry[], args: readonly string[]): readonly string[] {
  const [first = ''] = args;
  return first.startsWith('-') || commands.some(({ name }) => name === first) ? args : [first];
}

async function loadChosen(
  program: Command,
  commands: readonly CommandEntry[],
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const name = args.find((arg) => !arg.startsWith('-'));
  const entry = commands.find((candidate) => candidate.name === name);
  const command = program.commands.find((candidate) => candidate.name() === name);
  if (!entry || !command) return;
  const { define } = await entry.load();
  define(command, terminal);
}

function programOf({ commands, examples }: Catalogue, invocation: Invocation, terminal: Terminal): Command {
  const program = new Command(invocation.program)
    .description('Holdfast looks after the PersistentVolumes of a Kubernetes cluster.')
    .usage('COMMAND [flags]')
    .helpOption('-h, --help', 'how to use the program, or one command of it')
    .helpCommand(false)
    .configureHelp(helpStyle)
    .configureOutput(outputTo(terminal))
    .enablePositionalOptions()
    .hook('preAction', (_program, command) => refuseFlagsBefore(command))
    .exitOverride();
  for (const { name, group, summary, isHidden = false } of commands) {
    program
      .command(name, { hidden: isHidden })
      .usage('[flags]')
      .summary(summary)
      .description(sentence(summary))
      .helpGroup(GROUP_HEADINGS[group]);
  }
  addExamples(program, examples);
  const topics = Object.entries(TOPICS).map(([name, { summary }]) => `  holdfast help ${name}  ${summary}`);
  program.addHelpText('after', ['', 'More:', ...topics].join('\n'));
  return program;
}

/** What stands before the name of a subcommand belongs to a command that is not run. To pass over it could mean another cluster than the person does. */
function refuseFlagsBefore(command: Command): void {
  for (let above = command.parent; above; above = above.parent) {
    const { options } = above;
    const given = options.find((option) => above?.getOptionValueSource(option.attributeName()) === 'cli');
    if (given) throw new UsageError(`${given.long} stands before "${command.name()}": flags come after it`);
  }
}

/** Errors are not printed by commander: they are told once, at the end, by whoever maps them to an exit code. */
const outputTo = ({ stdout, stderr }: Terminal): OutputConfiguration => ({
  writeOut: (text) => stdout.write(text),
  writeErr: (text) => stderr.write(text),
  outputError: () => {},
});

const fullNameOf = (command: Command): string =>
  command.parent ? `${fullNameOf(command.parent)} ${command.name()}` : command.name();

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

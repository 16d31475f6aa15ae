/** From a command's flags to the values that its action gets, typed: the flag first, then the environment, then the default. */
import type { Command } from 'commander';
import type { Terminal } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';
import type { Flag } from './flag.ts';

/** Flags by the name that their values go by in code: `--node-name` is `nodeName`. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

export type OptionsOf<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never;
};

/** Gives a command its flags and what it does with their values. */
export function runs<F extends Flags>(
  command: Command,
  flags: F,
  { env }: Terminal,
  run: (options: OptionsOf<F>) => Promise<void> | void,
): void {
  for (const [key, flag] of Object.entries(flags)) {
    if (flag.attributeName() !== key) throw new Error(`the flag ${flag.long} cannot go by "${key}" in code`);
    command.addOption(flag);
  }
  command.action(() => run(readOptions(command, flags, env)));
}

function readOptions<F extends Flags>(command: Command, flags: F, env: Terminal['env']): OptionsOf<F> {
  const values = Object.entries(flags).map(([key, flag]) => [key, valueFor(command, key, flag, env)]);
  return Object.fromEntries(values) as OptionsOf<F>;
}

/**
 * commander's own reading of the environment is not used: it takes an empty variable for a value, and `X=false` for true.
 * The originals, and manifests with optional values, rely on neither being so.
 */
function valueFor(command: Command, key: string, flag: Flag<unknown>, env: Terminal['env']): unknown {
  if (command.getOptionValueSource(key) === 'cli') return command.getOptionValue(key);
  const variable = flag.settings.env;
  const text = variable === undefined ? undefined : env[variable];
  if (text) return flag.read(text, `the environment variable ${variable}`);
  if (flag.settings.required) throw new UsageError(howToGive(flag));
  return flag.defaultValue;
}

function howToGive({ long, kind, settings }: Flag<unknown>): string {
  const orVariable = settings.env === undefined ? '' : `, or set the environment variable ${settings.env}`;
  return `${long} is required: pass ${kind.allowed}, for example ${long}=${kind.example}${orVariable}`;
}

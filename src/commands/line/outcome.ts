/**
 * How the program ends: 0 when all went well, 1 when it failed, 2 when it was used wrongly, and, when it was asked to say so, 3 when
 * something needs a person and 4 when that is not known. Each failure is one sentence.
 */
import { CommanderError } from 'commander';
import { UsageError } from './usage-error.ts';
import { NotWell } from './verdict.ts';

export interface Outcome {
  readonly exitCode: 0 | 1 | 2 | 3 | 4;
  /** For standard error; empty when there is nothing to say. */
  readonly message: string;
}

export const SUCCESS: Outcome = { exitCode: 0, message: '' };

/** `command` is how the person called it, such as `holdfast version`. */
export function outcomeOf(error: unknown, command: string, debug: boolean): Outcome {
  if (error instanceof NotWell) return { exitCode: error.found === 'unknown' ? 4 : 3, message: '' };
  const usage = usageFault(error);
  if (usage === '') return SUCCESS;
  const stack = debug && error instanceof Error ? `${error.stack}\n` : '';
  if (usage !== undefined) {
    return { exitCode: 2, message: `${command}: ${onOneLine(usage)} (see ${command} --help)\n${stack}` };
  }
  if (isBug(error)) {
    return { exitCode: 1, message: `${command}: this is a bug in Holdfast, please report it\n${error.stack}\n` };
  }
  return { exitCode: 1, message: `${command}: ${withCauses(error)}\n${stack}` };
}

/** What was wrong with the arguments; empty when commander ended the program because it had shown help; undefined for other errors. */
function usageFault(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return '';
  if (error.code === 'commander.help') return 'name one of the commands above';
  return oneSentence(error.message);
}

/** commander writes `error: unknown option '--x'`, a new line, and `(Did you mean --y?)`. */
const oneSentence = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.*)\)$/, '; did you mean $1')
    .replace(/\.$/, '');

const LONGEST_COMPLAINT = 1000;

/** What was typed may be anything, and commander repeats it as it is. */
function onOneLine(usage: string): string {
  const line = usage.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return line.length > LONGEST_COMPLAINT ? `${line.slice(0, LONGEST_COMPLAINT)}…` : line;
}

/** Errors that only a mistake in the code raises. What can go wrong in the world has a class of its own, or is a plain `Error`. */
const isBug = (error: unknown): error is Error =>
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;

/** The message, and those of its causes that say something new. */
function withCauses(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(withCauses).join('; ');
  if (!(error instanceof Error)) return String(error);
  if (error.cause === undefined) return error.message;
  const cause = withCauses(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}

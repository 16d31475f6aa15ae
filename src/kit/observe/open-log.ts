/** Opens the process's log: pino, as JSON for machines or as lines for people. Import it lazily: commands that run nothing need none. */
import { type DestinationStream, pino } from 'pino';
import type { Clock } from '../clock/clock.ts';
import { errorFields } from './error-fields.ts';
import type { Log, LogLevel } from './log.ts';
import { maskSecrets } from './mask-secrets.ts';
import { colours, noColours, terminalLines } from './terminal-lines.ts';

export interface LogOptions {
  readonly clock: Clock;
  readonly level: LogLevel;
  /** `auto` is text where a person watches, JSON elsewhere. */
  readonly format?: 'auto' | 'json' | 'text';
  /** Where the lines go; standard error unless given, since standard output belongs to a command's results. */
  readonly output?: LogOutput;
  /** Colours on a terminal, unless the person asked for none (https://no-color.org). */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface LogOutput {
  write(text: string): void;
  readonly isTTY?: boolean;
}

export function openLog({ clock, level, format = 'auto', output, env = process.env }: LogOptions): Log {
  const isTerminal = (output ?? process.stderr).isTTY === true;
  const asText = format === 'text' || (format === 'auto' && isTerminal);
  const paint = isTerminal && !env.NO_COLOR ? colours : noColours;
  const lines = asText ? (json: string) => terminalLines(json, paint) : (json: string) => json;
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      hooks: { streamWrite: (json) => lines(maskSecrets(json)) },
    },
    output ?? standardError(),
  );
}

/** Written at once, not from a buffer: the last line before a crash is the one that is needed. */
const standardError = (): DestinationStream => pino.destination({ dest: 2, sync: true });

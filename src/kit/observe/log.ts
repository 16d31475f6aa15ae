/** What every part of the program writes its log lines to. A pino logger is one; this file does not load pino, so that anybody may import it. */
import { InvalidValue } from '../invalid-value.ts';

/** Fields first, then the sentence. An error goes into the field `err`. */
interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

export interface Log {
  readonly trace: LogMethod;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** A log whose every line carries these fields too, such as the controller and the key that it is about. */
  child(fields: object): Log;
}

/** From the most to the least talkative. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase());
  if (level === undefined) throw new InvalidValue('log level', text, `it must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

const nothing = () => {};

export const silentLog: Log = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
};

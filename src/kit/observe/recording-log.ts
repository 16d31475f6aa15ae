/** A log for tests: keeps its lines so that they can be looked at. */
import type { Log, LogLevel } from './log.ts';

export interface LogLine {
  readonly level: Exclude<LogLevel, 'silent'>;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class RecordingLog implements Log {
  /** Those of its children too, oldest first. */
  readonly lines: LogLine[];
  readonly #fields: object;

  constructor(fields: object = {}, lines: LogLine[] = []) {
    this.#fields = fields;
    this.lines = lines;
  }

  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');

  child(fields: object): RecordingLog {
    return new RecordingLog({ ...this.#fields, ...fields }, this.lines);
  }

  at(level: LogLine['level']): readonly LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  #method(level: LogLine['level']) {
    return (first: object | string, message?: string): void => {
      const [fields, sentence] = typeof first === 'string' ? [{}, first] : [first, message ?? ''];
      this.lines.push({ level, message: sentence, fields: { ...this.#fields, ...fields } });
    };
  }
}

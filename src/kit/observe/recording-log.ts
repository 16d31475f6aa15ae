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
  /** Told of each line, those of its children too. */
  readonly #listeners: Set<(message: string) => void>;

  constructor(fields: object = {}, lines: LogLine[] = [], listeners = new Set<(message: string) => void>()) {
    this.#fields = fields;
    this.lines = lines;
    this.#listeners = listeners;
  }

  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');

  child(fields: object): RecordingLog {
    return new RecordingLog({ ...this.#fields, ...fields }, this.lines, this.#listeners);
  }

  /** Resolved once this was said, also if it was before. */
  said(message: string): Promise<void> {
    if (this.lines.some((line) => line.message === message)) return Promise.resolve();
    return new Promise((resolve) => {
      const listener = (each: string) => {
        if (each !== message) return;
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }

  at(level: LogLine['level']): readonly LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  #method(level: LogLine['level']) {
    return (first: object | string, message?: string): void => {
      const [fields, sentence] = typeof first === 'string' ? [{}, first] : [first, message ?? ''];
      this.lines.push({ level, message: sentence, fields: { ...this.#fields, ...fields } });
      for (const listener of this.#listeners) listener(sentence);
    };
  }
}

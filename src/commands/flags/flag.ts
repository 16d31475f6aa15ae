/** A flag of a command: a commander option that knows the kind of its value and the environment variable that may hold it. */
import { Option } from 'commander';
import { InvalidValue, quote } from '../../kit/invalid-value.ts';
import { UsageError } from '../line/usage-error.ts';

/** What the value of a flag may be: how it is read, and how people are told. */
export interface Kind<T> {
  /** Stands in the help in place of the value. */
  readonly placeholder: string;
  /** Completes the sentence "use …". */
  readonly allowed: string;
  readonly example: string;
  /** Throws `InvalidValue` when the text is none of these. Never returns null or undefined: to commander that is an empty text. */
  parse(text: string): T & {};
  /** For a flag that may be given several times. Without it the last one wins, as in Go. */
  combine?(earlier: T, later: T): T & {};
  /** A switch: the flag alone means true, and takes a value only after `=`. */
  readonly isSwitch?: true;
}

export interface FlagSettings {
  /** The environment variable that is read when the flag is not given. An empty one counts as not set. */
  readonly env?: string;
  /** As a person would type it. */
  readonly default?: string;
  readonly required?: true;
  /** `--x=` is as good as no `--x`, as Go programs have it: manifests fill in values that may be empty. */
  readonly emptyIsUnset?: true;
}

export class Flag<T> extends Option {
  readonly kind: Kind<T>;
  readonly settings: FlagSettings;

  constructor(names: string, description: string, kind: Kind<T>, settings: FlagSettings) {
    super(`${names} ${kind.isSwitch ? `[${kind.placeholder}]` : `<${kind.placeholder}>`}`, description);
    this.kind = kind;
    this.settings = settings;
    if (settings.default !== undefined) this.default(kind.parse(settings.default), settings.default);
    if (kind.isSwitch) this.preset('true');
    this.argParser((text: string, earlier: T | undefined) => this.#next(text, earlier));
  }

  /** Reads a value; `source` is what the person used to give it: the flag or the variable. */
  read(text: string, source: string): T {
    try {
      return this.kind.parse(text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const { allowed, example } = this.kind;
      const remedy = `use ${allowed}, for example ${this.long}=${example}`;
      throw new UsageError(`${source} cannot be ${quote(text)}: ${error.why}; ${remedy}`, { cause: error });
    }
  }

  #next(text: string, earlier: T | undefined): T {
    const value = this.read(text, this.long ?? this.flags);
    const isFirst = earlier === undefined || earlier === this.defaultValue;
    return isFirst || !this.kind.combine ? value : this.kind.combine(earlier, value);
  }
}

type Certain = { readonly default: string } | { readonly required: true };

/** Makes a flag. With a default, or when it is required, its value is always there. */
export function flag<T>(names: string, description: string, kind: Kind<T>, settings: FlagSettings & Certain): Flag<T>;
export function flag<T>(
  names: string,
  description: string,
  kind: Kind<T>,
  settings?: FlagSettings,
): Flag<T | undefined>;
export function flag<T>(names: string, description: string, kind: Kind<T>, settings: FlagSettings = {}): Flag<T> {
  return new Flag(names, description, kind, settings);
}

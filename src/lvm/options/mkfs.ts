/** Reads `fsOpts`: one text, parted at its spaces as a command line without a shell, and each part checked. */
import type { FileSystem } from '../contract.ts';
import { ALLOWED, type Allowed } from './allowed.ts';
import { listed, shown } from './shown.ts';
import { type Fault, named, type Place, valueFault, whyRefused } from './values.ts';

export interface ReadArguments {
  /** Each option as a word of its own, and its value as the next. */
  readonly args: readonly string[];
  /** Each is how a sentence goes on that begins with `fsOpts`. */
  readonly faults: readonly string[];
}

/** One option as it was written. */
interface Written {
  readonly name: string;
  readonly value?: string | undefined;
}

export function readMkfsOptions(fsType: FileSystem, text: string): ReadArguments {
  if (/["'`\\]/.test(text)) {
    return { args: [], faults: [`cannot be ${shown(text)}: no shell reads it, so leave out quotes and backslashes`] };
  }
  const reader = new Reader(fsType);
  const written = reader.read(text.split(' ').filter((word) => word !== ''));
  const args = written.flatMap(({ name, value }) => (value === undefined ? [name] : [name, value]));
  return { args, faults: reader.faults() };
}

class Reader {
  readonly #fsType: FileSystem;
  readonly #strangers: string[] = [];
  readonly #faults: string[] = [];

  constructor(fsType: FileSystem) {
    this.#fsType = fsType;
  }

  read(words: readonly string[]): Written[] {
    const rest = [...words];
    const seen: Written[] = [];
    for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
      const written = this.#option(word, rest);
      if (!written) continue;
      if (seen.some(({ name }) => name === written.name)) this.#faults.push(`cannot have ${shown(written.name)} twice`);
      seen.push(written);
    }
    return seen;
  }

  /** All that nobody allows in one sentence, since what is allowed is a long list. */
  faults(): readonly string[] {
    if (this.#strangers.length === 0) return this.#faults;
    const known = ALLOWED[this.#fsType].mkfs.map(({ name }) => name).join(', ');
    return [`cannot have ${listed(this.#strangers)}: mkfs of ${this.#fsType} takes ${known}`, ...this.#faults];
  }

  #option(word: string, rest: string[]): Written | undefined {
    const found = this.#find(word);
    if (!found) return this.#stranger(word, rest);
    const { allowed, attached } = found;
    if (allowed.value.is === 'none') return this.#withoutValue(allowed, attached, word);
    const value = attached ?? rest.shift();
    const fault =
      value === undefined ? `${shown(word)} at the end, without its value` : this.#valueFault(allowed, value);
    if (fault === undefined) return { name: allowed.name, value };
    this.#faults.push(`cannot have ${fault}`);
    return undefined;
  }

  /** `-m`, `-m0`, `--metadata` or `--metadata=dup`. */
  #find(word: string): { allowed: Allowed; attached?: string | undefined } | undefined {
    const isLong = word.startsWith('--');
    const equals = word.indexOf('=');
    const end = isLong && equals !== -1 ? equals : isLong ? word.length : 2;
    const allowed = named(ALLOWED[this.#fsType].mkfs, word.slice(0, end));
    if (!allowed || !word.startsWith('-')) return undefined;
    const attached = word.slice(isLong ? end + 1 : end);
    return { allowed, attached: word.length > end ? attached : undefined };
  }

  /** A word behind an option that is not allowed may be its value, and is no news then. */
  #stranger(word: string, rest: string[]): undefined {
    const place = this.#place(word);
    const name = word.startsWith('--') ? (word.split('=')[0] ?? word) : word.slice(0, 2);
    const why = word.startsWith('-') ? whyRefused(place.refused, name) : 'is no option';
    this.#strangers.push(why === undefined ? shown(word) : `${shown(word)} (${why})`);
    if (word.startsWith('-') && rest[0]?.startsWith('-') === false) rest.shift();
  }

  #withoutValue(allowed: Allowed, attached: string | undefined, word: string): Written | undefined {
    if (attached === undefined) return { name: allowed.name };
    this.#faults.push(`cannot have ${shown(word)}: ${allowed.name} takes no value, and each option stands by itself`);
    return undefined;
  }

  #valueFault({ name, value }: Allowed, text: string): Fault {
    const fault = valueFault(value, text, this.#place(name));
    return fault === undefined ? undefined : `${shown(`${name} ${text}`)}: ${fault}`;
  }

  #place = (name: string): Place => ({ name, refused: ALLOWED[this.#fsType].mkfsRefused });
}

/** What a volume's annotations say, and what the defaults say where they say nothing; and everything that turns out to be wrong with it. */
import {
  BUILT_IN_DEFAULTS,
  DEFAULTS_CONFIG_MAP,
  OPTION_KEYS,
  type OptionKey,
  PREFIX,
  WRITTEN_KEYS,
} from '../contract.ts';
import { listed, shown } from './shown.ts';

export interface Saying {
  /** Those with our prefix, without it. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What the ConfigMap says. */
  readonly defaults: Readonly<Record<string, string>>;
  /** It was begun to make the volume. Then its annotations say what it is made with, and defaults that come later do not change that. */
  readonly isSettled?: boolean | undefined;
}

/** What cannot be changed once it was begun to make a volume. */
export const SETTLED: readonly OptionKey[] = ['fsType', 'vg', 'fsOpts', 'cryptSecret', 'thinPool', 'thinPoolSize'];
/** Each volume has to say it for itself: as a default, it would be meant for volumes that nobody thought of. */
export const NO_DEFAULT: readonly OptionKey[] = ['snapshotOf'];
/** A tag of LVM has at most 1024 bytes, and options are kept in tags, where a comma or a space takes three. */
const LONGEST_LIST = 256;
const MOST_NAMED = 10;

export class Said {
  readonly faults: string[] = [];
  readonly warnings: string[];
  readonly #saying: Saying;
  /** Those that are wrong already: one fault each is enough. */
  readonly #unreadable = new Set<OptionKey>();

  constructor(saying: Saying) {
    this.#saying = saying;
    this.warnings = annotationsWarnings(saying.annotations);
    for (const key of OPTION_KEYS) this.#checkCharacters(key);
  }

  /** What is said, by whoever comes first; nothing where that cannot be read. */
  text(key: OptionKey): string | undefined {
    if (this.#unreadable.has(key)) return undefined;
    return this.#annotation(key) ?? this.#default(key) ?? BUILT_IN_DEFAULTS[key];
  }

  /** What the volume itself says; empty where it says nothing. */
  ofItself(key: OptionKey): string {
    return this.#unreadable.has(key) ? '' : (this.#annotation(key) ?? '');
  }

  /** A text with many things in it. */
  list(key: OptionKey): string | undefined {
    const text = this.text(key);
    if (text === undefined || text.length <= LONGEST_LIST) return text;
    this.check(key, `cannot be ${shown(text)}: ${LONGEST_LIST} characters are the most`);
    return undefined;
  }

  choice<const T extends string>(key: OptionKey, values: readonly T[], otherwise?: T): T | undefined {
    if (this.#unreadable.has(key)) return undefined;
    const text = this.text(key) ?? otherwise ?? '';
    const value = values.find((each) => each === text);
    if (value === undefined) this.check(key, `cannot be ${shown(text)}: it is one of ${values.join(', ')}`);
    return value;
  }

  /** Defaults are for volumes to which they apply, and what a volume says of itself has to. */
  mustBeSilentOn<T>(key: OptionKey, why: string, otherwise: T): T {
    const text = this.ofItself(key);
    if (text !== '') this.check(key, `cannot be ${shown(text)}: ${why}`);
    return otherwise;
  }

  /** A fault is how a sentence goes on that begins with what it is about. */
  check(about: OptionKey | `spec.${string}` | 'metadata.name', fault: string | undefined): void {
    if (fault !== undefined) this.faults.push(`${this.#subject(about)} ${fault}`);
  }

  warn(about: OptionKey, what: string): void {
    this.warnings.push(`${this.#subject(about)} ${what}`);
  }

  #subject(about: string): string {
    const key = OPTION_KEYS.find((each) => each === about);
    const isDefault = key !== undefined && this.#annotation(key) === undefined && this.#default(key) !== undefined;
    return isDefault ? `${about} of the ConfigMap ${DEFAULTS_CONFIG_MAP}` : about;
  }

  #checkCharacters(key: OptionKey): void {
    const text = this.text(key) ?? '';
    if (/^[\x20-\x7e]*$/.test(text)) return;
    this.check(
      key,
      `cannot be ${shown(text)}: it has something else in it than plain letters, digits and signs (ASCII), which may look like one of them`,
    );
    this.#unreadable.add(key);
  }

  #annotation(key: OptionKey): string | undefined {
    return own(this.#saying.annotations, key);
  }

  #default(key: OptionKey): string | undefined {
    const isOver = this.#saying.isSettled && SETTLED.includes(key);
    return isOver || NO_DEFAULT.includes(key) ? undefined : own(this.#saying.defaults, key);
  }
}

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

function annotationsWarnings(annotations: Readonly<Record<string, string>>): string[] {
  const strangers = without(Object.keys(annotations), [...OPTION_KEYS, ...WRITTEN_KEYS]);
  return ignored(
    strangers.map((key) => `${PREFIX}${key}`),
    'annotations',
    OPTION_KEYS,
  );
}

/** What the ConfigMap says that no volume is given. */
export function defaultsWarnings(defaults: Readonly<Record<string, string>>): string[] {
  const known = without(OPTION_KEYS, NO_DEFAULT);
  return ignored(without(Object.keys(defaults), known), `ConfigMap ${DEFAULTS_CONFIG_MAP}`, known);
}

function ignored(strangers: readonly string[], where: string, known: readonly string[]): string[] {
  if (strangers.length === 0) return [];
  const named = listed(strangers.toSorted().map(shown), MOST_NAMED);
  return [
    `of the ${where}, ${named} ${strangers.length === 1 ? 'is' : 'are'} ignored: the options are ${known.join(', ')}`,
  ];
}

const without = (keys: readonly string[], others: readonly string[]): string[] =>
  keys.filter((key) => !others.includes(key));

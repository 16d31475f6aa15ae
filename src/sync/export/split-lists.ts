/**
 * Finds where the members of the lists in a JSON object begin and end, in one walk over its bytes and without making anything of them:
 * an export may have a hundred megabytes, and its objects are looked at one by one.
 */
import { quote } from '../../kit/invalid-value.ts';
import { ExportIsUnreadable } from './unreadable.ts';

/** The bytes of one JSON value. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

export interface SplitLimits {
  readonly members: number;
  readonly bytesOfMember: number;
  readonly depth: number;
}

/**
 * All lists that are asked for have to be there once, and hold objects. Other fields are passed over. What is inside of a member is
 * not looked at more closely than it takes to find its end.
 */
export function splitLists<Name extends string>(
  body: Buffer,
  names: readonly Name[],
  limits: SplitLimits,
): Readonly<Record<Name, readonly Extent[]>> {
  const walk = new Walk(body, limits);
  const lists = new Map<string, readonly Extent[]>();
  walk.members('{', '}', () => {
    const name = walk.name();
    if (lists.has(name)) throw malformed(`it has ${quote(name)} twice`);
    lists.set(name, names.some((each) => each === name) ? walk.list(name) : [walk.value()]);
  });
  walk.end();
  const missing = names.find((name) => !lists.has(name));
  if (missing !== undefined) throw foreign(`it has no list named ${quote(missing)}`);
  return Object.fromEntries(lists) as Record<Name, readonly Extent[]>;
}

const foreign = (why: string) => new ExportIsUnreadable('exportIsForeign', `not an export: ${why}`);
const malformed = (why: string) =>
  new ExportIsUnreadable('exportIsMalformed', `not an export that can be read: ${why}`);

const code = (char: string): number => char.charCodeAt(0);
const [QUOTE, ESCAPE, COMMA, COLON] = [code('"'), code('\\'), code(','), code(':')];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [code('{'), code('}'), code('['), code(']')];
const LONGEST_NAME = 256;

class Walk {
  readonly #body: Buffer;
  readonly #limits: SplitLimits;
  #at = 0;
  #members = 0;

  constructor(body: Buffer, limits: SplitLimits) {
    this.#body = body;
    this.#limits = limits;
  }

  /** Calls back with the walk standing on each member, which has to move it behind that member. */
  members(open: '{' | '[', close: '}' | ']', member: () => void): void {
    this.#expect(code(open));
    if (this.#next() === code(close)) {
      this.#at += 1;
      return;
    }
    for (;;) {
      member();
      if (this.#next() === code(close)) break;
      this.#expect(COMMA);
    }
    this.#at += 1;
  }

  /** The name of a field, and over the colon behind it. */
  name(): string {
    if (this.#next() !== QUOTE) throw this.#strange();
    const { start, end } = this.value();
    if (end - start > LONGEST_NAME) throw foreign(`it has a field whose name has ${end - start} bytes`);
    this.#expect(COLON);
    return String(parse(this.#body.toString('utf8', start, end)));
  }

  list(name: string): readonly Extent[] {
    if (this.#next() !== OPEN_LIST) throw foreign(`${quote(name)} is no list`);
    const extents: Extent[] = [];
    this.members('[', ']', () => {
      if (this.#next() !== OPEN_OBJECT) throw foreign(`${quote(name)} holds something that is no object`);
      this.#members += 1;
      if (this.#members > this.#limits.members) throw tooLarge(`it has more than ${this.#limits.members} objects`);
      extents.push(this.value());
    });
    return extents;
  }

  /** Over one value, whatever it is. */
  value(): Extent {
    const first = this.#next();
    const start = this.#at;
    if (first === QUOTE) this.#skipText();
    else if (first === OPEN_OBJECT || first === OPEN_LIST) this.#skipNested();
    else this.#skipWord();
    const bytes = this.#at - start;
    if (bytes > this.#limits.bytesOfMember) throw tooLarge(`it has an object of ${bytes} bytes`);
    return { start, end: this.#at };
  }

  /** Nothing may follow. */
  end(): void {
    this.#skipBlanks();
    if (this.#at < this.#body.length) throw malformed(`something follows after its end, at byte ${this.#at}`);
  }

  /** The byte after blanks, which stays the next one. */
  #next(): number {
    this.#skipBlanks();
    return this.#byte();
  }

  #byte(): number {
    const byte = this.#body[this.#at];
    if (byte === undefined) throw this.#truncated();
    return byte;
  }

  #expect(byte: number): void {
    if (this.#next() !== byte) throw this.#strange();
    this.#at += 1;
  }

  #strange(): ExportIsUnreadable {
    if (this.#at === 0) return foreign('it does not begin with "{"');
    return malformed(`${quote(String.fromCharCode(this.#byte()))} does not belong at byte ${this.#at}`);
  }

  #truncated(): ExportIsUnreadable {
    const { length } = this.#body;
    return new ExportIsUnreadable(
      'exportIsTruncated',
      `not a complete export: it ends in the middle, after ${length} bytes`,
    );
  }

  #skipBlanks(): void {
    while (isBlank(this.#body[this.#at])) this.#at += 1;
  }

  /** Whether brackets match is left to the parser. */
  #skipNested(): void {
    let depth = 0;
    do {
      const byte = this.#byte();
      if (byte === QUOTE) {
        this.#skipText();
        continue;
      }
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      if (depth > this.#limits.depth) throw tooLarge(`it is nested more than ${this.#limits.depth} deep`);
      this.#at += 1;
    } while (depth > 0);
  }

  #skipText(): void {
    for (let at = this.#at + 1; ; at += 1) {
      const byte = this.#body[at];
      if (byte === undefined) throw this.#truncated();
      if (byte === ESCAPE) at += 1;
      else if (byte === QUOTE) {
        this.#at = at + 1;
        return;
      }
    }
  }

  /** A number, `true`, `false` or `null`. */
  #skipWord(): void {
    const start = this.#at;
    while (!isEndOfWord(this.#byte())) this.#at += 1;
    if (this.#at === start) throw this.#strange();
  }
}

const tooLarge = (why: string) =>
  new ExportIsUnreadable('exportIsTooLarge', `not an export that is taken for one: ${why}`);

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isEndOfWord = (byte: number): boolean =>
  byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COLON || isBlank(byte);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ExportIsUnreadable('exportIsMalformed', `not an export that can be read: ${quote(text)} is no name`, {
      cause,
    });
  }
}

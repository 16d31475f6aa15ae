/** What is wrong with JSON, in the words of Go's decoder. Asked only about text that is none. */

class Fault extends Error {}

/** The first fault, reading from the left. */
export function jsonFault(text: string): string {
  const reader = new Reader(text);
  try {
    reader.value();
    reader.end();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return 'invalid JSON';
}

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

class Reader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): void {
    const start = this.#next();
    const literal = LITERALS[start];
    if (start === '{') this.#object();
    else if (start === '[') this.#array();
    else if (start === '"') this.#string();
    else if (literal) this.#literal(literal);
    else if (/[-0-9]/.test(start)) this.#number();
    else throw unexpected(start, 'looking for beginning of value');
  }

  end(): void {
    const rest = this.#text.slice(this.#position).trimStart();
    if (rest !== '') throw unexpected(rest.slice(0, 1), 'after top-level value');
  }

  #object(): void {
    this.#position++;
    if (this.#takes('}')) return;
    for (;;) {
      if (this.#next() !== '"') throw unexpected(this.#next(), 'looking for beginning of object key string');
      this.#string();
      if (this.#next() !== ':') throw unexpected(this.#next(), 'after object key');
      this.#position++;
      this.value();
      const after = this.#next();
      this.#position++;
      if (after === '}') return;
      if (after !== ',') throw unexpected(after, 'after object key:value pair');
    }
  }

  #array(): void {
    this.#position++;
    if (this.#takes(']')) return;
    for (;;) {
      this.value();
      const after = this.#next();
      this.#position++;
      if (after === ']') return;
      if (after !== ',') throw unexpected(after, 'after array element');
    }
  }

  #string(): void {
    const closed = /"(?:[^"\\\p{Cc}]|\\.)*"/suy;
    closed.lastIndex = this.#position;
    const found = closed.exec(this.#text);
    if (!found)
      throw this.#text.slice(this.#position).includes('\n') ? unexpected('\n', 'in string literal') : cutOff();
    this.#position += found[0].length;
  }

  #literal(word: string): void {
    for (const expected of word) {
      const actual = this.#text[this.#position];
      if (actual === undefined) throw cutOff();
      if (actual !== expected) throw unexpected(actual, `in literal ${word} (expecting '${expected}')`);
      this.#position++;
    }
  }

  #number(): void {
    this.#position += /^[-+.eE\d]*/.exec(this.#text.slice(this.#position))?.[0].length ?? 0;
  }

  #takes(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#position++;
    return true;
  }

  /** What comes after white space. */
  #next(): string {
    while (/\s/.test(this.#text[this.#position] ?? '')) this.#position++;
    const character = this.#text[this.#position];
    if (character === undefined) throw cutOff();
    return character;
  }
}

const cutOff = (): Fault => new Fault('unexpected end of JSON input');

const unexpected = (character: string, where: string): Fault =>
  new Fault(`invalid character ${quoted(character)} ${where}`);

function quoted(character: string): string {
  if (character === "'") return `'\\''`;
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
}

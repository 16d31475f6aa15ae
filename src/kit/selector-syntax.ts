/**
 * Label selectors as text, such as `app=db,zone in (a,b),!old`: the language of `kubectl --selector` and of the API's
 * `labelSelector` parameter, with the same idea of what is valid.
 */
import { InvalidValue, quote } from './invalid-value.ts';
import { type LabelRequirement, readRequirement } from './label-requirements.ts';
import { inOrder, type LabelSelector } from './selectors.ts';

/** Far more than a request line can carry. */
const LONGEST_TEXT = 64 * 1024;

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['=', 'In'],
  ['==', 'In'],
  ['!=', 'NotIn'],
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['>', 'Gt'],
  ['<', 'Lt'],
]);

const SYMBOLS: ReadonlySet<string> = new Set(['=', '==', '!=', '!', '(', ')', ',', '>', '<']);

/** Reads a selector, or throws `InvalidValue`. The empty text selects everything. */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(text);
  if (tokens.atEnd) return [];
  const requirements = [readOne(tokens)];
  while (!tokens.atEnd) {
    tokens.expect(',');
    requirements.push(readOne(tokens));
  }
  return inOrder(requirements);
}

function readOne(tokens: Tokens): LabelRequirement {
  const absent = tokens.take('!');
  const key = tokens.word('a label key');
  const { operator, values } = absent ? { operator: 'DoesNotExist', values: [] } : readRestriction(tokens);
  const read = readRequirement({ key, operator, values });
  return typeof read === 'string' ? tokens.fail(read) : read;
}

function readRestriction(tokens: Tokens): { operator: string; values: string[] } {
  if (tokens.atEnd || tokens.next === ',') return { operator: 'Exists', values: [] };
  const symbol = tokens.next;
  const operator = OPERATORS.get(symbol) ?? tokens.fail(`${tokens.found} stands where an operator or "," is expected`);
  tokens.expect(symbol);
  const isSet = symbol === 'in' || symbol === 'notin';
  return { operator, values: isSet ? readSet(tokens) : [readValue(tokens)] };
}

/** Values may be empty: `(a,,b)` has three, and `()` has one. */
function readSet(tokens: Tokens): string[] {
  tokens.expect('(');
  const values = [tokens.optionalWord()];
  while (tokens.take(',')) values.push(tokens.optionalWord());
  tokens.expect(')');
  return values;
}

const readValue = (tokens: Tokens): string => (tokens.atEnd || tokens.next === ',' ? '' : tokens.word('a label value'));

/** The text cut into words and symbols, with a place that moves on. `in` and `notin` are words like any other where a word is expected. */
class Tokens {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #place = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.length > LONGEST_TEXT) this.fail(`it is longer than ${LONGEST_TEXT} characters`);
    if (text.includes('\0')) this.fail('it has a NUL character');
    this.#tokens = text.match(/[!=]=|[=!(),<>]|[^=!(),<> \t\r\n]+/g) ?? [];
  }

  get atEnd(): boolean {
    return this.#place >= this.#tokens.length;
  }

  /** The token at this place, or the empty text at the end. */
  get next(): string {
    return this.#tokens[this.#place] ?? '';
  }

  get found(): string {
    return this.atEnd ? 'the end' : quote(this.next);
  }

  take(symbol: string): boolean {
    if (this.next !== symbol) return false;
    this.#place += 1;
    return true;
  }

  expect(symbol: string): void {
    if (!this.take(symbol)) this.fail(`${this.found} stands where ${quote(symbol)} is expected`);
  }

  word(what: string): string {
    return this.optionalWord() || this.fail(`${this.found} stands where ${what} is expected`);
  }

  optionalWord(): string {
    const { next } = this;
    if (this.atEnd || SYMBOLS.has(next)) return '';
    this.#place += 1;
    return next;
  }

  fail(why: string): never {
    throw new InvalidValue('label selector', this.#text, why);
  }
}

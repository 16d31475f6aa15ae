/** What is wrong with a selector, in the words of a kube-apiserver: it reads from left to right and tells what it expected instead. */
import { labelValueFaults, qualifiedNameFaults } from '../kinds/name-faults.ts';

interface Token {
  readonly type: 'identifier' | 'operator' | 'in' | '!' | '(' | ')' | ',' | 'end' | 'error';
  readonly text: string;
}

const END: Token = { type: 'end', text: '' };
const SYMBOLS: ReadonlyMap<string, Token['type']> = new Map([
  ['=', 'operator'],
  ['==', 'operator'],
  ['!=', 'operator'],
  ['>', 'operator'],
  ['<', 'operator'],
  ['!', '!'],
  ['(', '('],
  [')', ')'],
  [',', ','],
]);

class Unexpected extends Error {}

/** What a server says to a label selector that it cannot read; nothing when it can. */
export function labelSelectorFault(selector: string): string | undefined {
  try {
    new Reader(selector).read();
    return undefined;
  } catch (error) {
    if (error instanceof Unexpected) return error.message;
    throw error;
  }
}

/** The first term that is none. */
export function fieldSelectorFault(selector: string): string {
  const terms = selector.split(/(?<!\\),/).filter((term) => term !== '');
  const bad = terms.find((term) => !/(?<!\\)=/.test(term)) ?? selector;
  return `invalid selector: '${selector}'; can't understand '${bad}'`;
}

class Reader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  read(): void {
    if (this.#ahead.type === 'end') return;
    for (;;) {
      if (this.#ahead.type !== 'identifier' && this.#ahead.type !== '!')
        throw new Unexpected(`found '${this.#ahead.text}', expected: !, identifier, or 'end of string'`);
      this.#requirement();
      const { type, text } = this.#take();
      if (type === 'end') return;
      if (type !== ',') throw new Unexpected(`found '${text}', expected: ',' or 'end of string'`);
      if (this.#ahead.type !== 'identifier' && this.#ahead.type !== '!')
        throw new Unexpected(`found '${this.#ahead.text}', expected: identifier after ','`);
    }
  }

  /** `in` and `notin` are words like others where no operator can stand. */
  get #ahead(): Token {
    const token = this.#tokens[this.#position] ?? END;
    return token.type === 'in' ? { ...token, type: 'identifier' } : token;
  }

  #take(): Token {
    const token = this.#ahead;
    this.#position++;
    return token;
  }

  #requirement(): void {
    const isNegated = this.#ahead.type === '!';
    if (isNegated) this.#position++;
    const { type, text: key } = this.#take();
    if (type !== 'identifier') throw unparsed(`found '${key}', expected: identifier`);
    const faults = qualifiedNameFaults(key);
    if (faults.length > 0) throw unparsed(`<nil>: Invalid value: ${JSON.stringify(key)}: ${faults.join('; ')}`);
    if (isNegated || this.#ahead.type === 'end' || this.#ahead.type === ',') return;
    const operator = this.#operator();
    checkValues(key, operator, operator.type === 'in' ? this.#values() : this.#value());
  }

  #operator(): Token {
    const token = this.#tokens[this.#position++] ?? END;
    if (token.type === 'in' || token.type === 'operator') return token;
    throw unparsed(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  #value(): readonly string[] {
    if (this.#ahead.type === 'end' || this.#ahead.type === ',') return [''];
    const { type, text } = this.#take();
    if (type !== 'identifier') throw unparsed(`found '${text}', expected: identifier`);
    return [text];
  }

  #values(): readonly string[] {
    const opening = this.#take();
    if (opening.type !== '(') throw unparsed(`found '${opening.text}' expected: '('`);
    const first = this.#ahead;
    if (!['identifier', ',', ')'].includes(first.type))
      throw unparsed(`found '${first.text}', expected: ',', ')' or identifier`);
    const values: string[] = [];
    while (this.#ahead.type !== ')') this.#listed(values);
    this.#position++;
    return values;
  }

  #listed(values: string[]): void {
    const { type, text } = this.#take();
    if (type === ',') return;
    if (type !== 'identifier') throw unparsed(`found '${text}', expected: ',', or identifier`);
    values.push(text);
    if (this.#ahead.type !== ',' && this.#ahead.type !== ')')
      throw unparsed(`found '${this.#ahead.text}', expected: ',' or ')'`);
  }
}

const unparsed = (why: string): Unexpected => new Unexpected(`unable to parse requirement: ${why}`);

function checkValues(key: string, { text: operator }: Token, values: readonly string[]): void {
  const faults = values.toSorted().flatMap((value, index) => {
    const shown = `Invalid value: ${JSON.stringify(value)}`;
    if ((operator === '>' || operator === '<') && !/^[-+]?\d{1,19}$/.test(value))
      return [`values[${index}]: ${shown}: for 'Gt', 'Lt' operators, the value must be an integer`];
    const wrong = labelValueFaults(value);
    return wrong.length > 0 ? [`values[${index}][${key}]: ${shown}: ${wrong.join('; ')}`] : [];
  });
  if (faults.length === 1) throw unparsed(faults.join(''));
  if (faults.length > 1) throw unparsed(`[${faults.join(', ')}]`);
}

function tokensOf(text: string): readonly Token[] {
  const words = text.match(/[^\s=!(),<>]+|[=!(),<>]+/g) ?? [];
  return [...words.flatMap((word) => (/^[=!(),<>]/.test(word) ? symbolsOf(word) : [wordToken(word)])), END];
}

const wordToken = (text: string): Token => ({ type: text === 'in' || text === 'notin' ? 'in' : 'identifier', text });

/** The longest that is known, again and again. */
function symbolsOf(run: string): Token[] {
  const [two, one] = [run.slice(0, 2), run.slice(0, 1)];
  const text = SYMBOLS.has(two) ? two : one;
  const rest = run.slice(text.length);
  return [{ type: SYMBOLS.get(text) ?? 'error', text }, ...(rest === '' ? [] : symbolsOf(rest))];
}

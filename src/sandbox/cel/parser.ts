/** From the text of an expression to its tree. */
import type { BinaryOperator, Entry, Expression, Literal } from './ast.ts';
import { CelSyntaxError, CelUnworded } from './cel-error.ts';
import { type Token, tokensIn } from './tokens.ts';

const DEEPEST = 250;
const MOST_INT = 2n ** 63n - 1n;

export const parse = (text: string): Expression => new Parser(text).whole();

/** From those that bind least to those that bind most. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

const OPERATORS: ReadonlySet<string> = new Set(LEVELS.flat());
/** With what an operand begins, in the words of the server. */
const OPERANDS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Words that may name a field, and nothing else. */
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  /** How many brackets are open. */
  #open = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensIn(text);
  }

  whole(): Expression {
    const expression = this.#expression();
    const token = this.#peek();
    if (token.kind !== 'end') throw this.#surplus(token);
    return expression;
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > DEEPEST)
      throw new CelSyntaxError(this.#text, this.#peek().at, 'expression recursion limit exceeded: 250');
    const test = this.#binary(0);
    const { at } = this.#peek();
    const result = this.#takes('?') ? this.#condition(test, at) : test;
    this.#depth -= 1;
    return result;
  }

  #condition(test: Expression, at: number): Expression {
    const yes = this.#binary(0);
    this.#expect(':');
    return { kind: 'condition', test, yes, no: this.#expression(), at };
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const token = this.#peek();
      const operator = operators.find((each) => isSymbol(token, each));
      if (operator === undefined) return left;
      this.#next += 1;
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1), at: token.at };
    }
  }

  #unary(): Expression {
    const token = this.#peek();
    for (const operator of ['!', '-'] as const) {
      if (isSymbol(token, operator)) {
        this.#next += 1;
        return negated(operator, this.#unary(), token.at);
      }
    }
    return this.#member(this.#primary());
  }

  #member(start: Expression): Expression {
    let target = start;
    for (;;) {
      const { at } = this.#peek();
      if (this.#takes('.')) target = this.#selected(target, at);
      else if (this.#takes('[')) {
        const optional = this.#takes('?');
        this.#open += 1;
        target = { kind: 'index', target, key: this.#expression(), optional, at };
        this.#close(']');
      } else return target;
    }
  }

  #selected(target: Expression, at: number): Expression {
    const optional = this.#takes('?');
    const field = this.#name();
    const { at: call } = this.#peek();
    if (optional || !this.#takes('(')) return { kind: 'select', target, field, optional, at };
    return { kind: 'call', name: field, target, args: this.#list(')'), at: call };
  }

  #primary(): Expression {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === 'literal') return { kind: 'literal', value: this.#fitting(token), at: token.at };
    if (token.kind === 'name') return this.#named(token.text, token.at);
    if (isSymbol(token, '.')) return this.#named(this.#name(), token.at);
    if (isSymbol(token, '(')) {
      this.#open += 1;
      const inner = this.#expression();
      this.#close(')');
      return inner;
    }
    if (isSymbol(token, '[')) return { kind: 'list', members: this.#members(), at: token.at };
    if (isSymbol(token, '{')) return { kind: 'map', entries: this.#entries(), at: token.at };
    throw this.#noOperand(token);
  }

  /** Numbers have 64 bits, and the smallest has its sign before it. */
  #fitting({ value, at }: Extract<Token, { kind: 'literal' }>): Literal {
    const before = this.#tokens[this.#next - 2];
    const isNegated = before !== undefined && isSymbol(before, '-');
    if (typeof value === 'bigint' && value > MOST_INT + (isNegated ? 1n : 0n)) {
      const Fault = isNegated ? CelUnworded : CelSyntaxError;
      throw new Fault(this.#text, at, 'invalid int literal');
    }
    if (typeof value === 'object' && value !== null && 'uint' in value && value.uint > 2n * MOST_INT + 1n)
      throw new CelSyntaxError(this.#text, at, 'invalid uint literal');
    return value;
  }

  #named(name: string, at: number): Expression {
    const { at: call } = this.#peek();
    if (this.#takes('(')) return { kind: 'call', name, args: this.#list(')'), at: call };
    if (RESERVED.has(name)) throw new CelSyntaxError(this.#text, at, `reserved identifier: ${name}`);
    return { kind: 'name', name, at };
  }

  /** Of a call: no comma stands behind the last. */
  #list(end: string): readonly Expression[] {
    this.#open += 1;
    const args: Expression[] = [];
    while (!this.#takes(end)) {
      args.push(this.#expression());
      if (isSymbol(this.#peek(), end)) continue;
      if (!this.#takes(',') || isSymbol(this.#peek(), end)) throw this.#fault(this.#peek());
    }
    this.#open -= 1;
    return args;
  }

  #members(): readonly Entry[] {
    this.#open += 1;
    const members: Entry[] = [];
    while (!this.#takes(']')) {
      const optional = this.#takes('?');
      members.push({ value: this.#expression(), optional });
      if (!this.#takes(',') && !isSymbol(this.#peek(), ']')) throw this.#fault(this.#peek());
    }
    this.#open -= 1;
    return members;
  }

  #entries(): readonly (Entry & { key: Expression })[] {
    this.#open += 1;
    const entries: (Entry & { key: Expression })[] = [];
    while (!this.#takes('}')) {
      const optional = this.#takes('?');
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#takes(',') && !isSymbol(this.#peek(), '}')) throw this.#fault(this.#peek());
    }
    this.#open -= 1;
    return entries;
  }

  #name(): string {
    const token = this.#peek();
    if (token.kind === 'end' && this.#open === 0)
      throw new CelSyntaxError(this.#text, token.at, "Syntax error: no viable alternative at input '.'");
    if (token.kind !== 'name') throw this.#fault(token);
    this.#next += 1;
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', at: this.#text.length };
  }

  #takes(symbol: string): boolean {
    const found = isSymbol(this.#peek(), symbol);
    if (found) this.#next += 1;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#takes(symbol)) throw this.#fault(this.#peek(), ` expecting '${symbol}'`);
  }

  /** A bracket is closed; where only that is missing, the server says so. */
  #close(symbol: string): void {
    const token = this.#peek();
    if (token.kind === 'end' && this.#open === 1)
      throw new CelSyntaxError(this.#text, token.at, `Syntax error: missing '${symbol}' at '<EOF>'`);
    this.#expect(symbol);
    this.#open -= 1;
  }

  /** One word too many, at the end. */
  #surplus(token: Token): CelSyntaxError {
    const isLast = this.#tokens[this.#next + 1]?.kind === 'end';
    if (!isLast || token.kind === 'end') return this.#fault(token);
    const text = this.#text.slice(token.at).trim();
    return new CelSyntaxError(this.#text, token.at, `Syntax error: extraneous input '${text}' expecting <EOF>`);
  }

  /** An operator is the last word. */
  #noOperand(token: Token): CelSyntaxError {
    const before = this.#tokens[this.#next - 2];
    const isBehindOperator = before?.kind === 'symbol' && OPERATORS.has(before.text);
    if (token.kind !== 'end' || this.#open > 0 || !isBehindOperator) return this.#fault(token);
    return new CelSyntaxError(this.#text, token.at, `Syntax error: mismatched input '<EOF>' expecting ${OPERANDS}`);
  }

  #fault(token: Token, expecting = ''): CelSyntaxError {
    const found = token.kind === 'end' ? '<EOF>' : token.kind === 'literal' ? String(token.value) : token.text;
    return new CelUnworded(this.#text, token.at, `Syntax error: mismatched input '${found}'${expecting}`);
  }
}

const isSymbol = (token: Token, text: string): boolean => token.kind === 'symbol' && token.text === text;

/** The smallest integer has no positive counterpart: so the sign belongs to a number. */
function negated(operator: '!' | '-', operand: Expression, at: number): Expression {
  if (
    operator === '-' &&
    operand.kind === 'literal' &&
    (typeof operand.value === 'bigint' || typeof operand.value === 'number')
  ) {
    return { ...operand, value: -operand.value };
  }
  return { kind: 'unary', operator, operand, at };
}

/** The words of an expression. */

import type { Literal } from './ast.ts';
import { CelUnworded } from './cel-error.ts';
import { unescapedBytes, unescapedText } from './escapes.ts';

export type Token = { readonly at: number } & (
  | { readonly kind: 'symbol' | 'name'; readonly text: string }
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'end' }
);

const SPACE = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?/y;
const STRING = /[rR]?(?:""".*?(?<!\\)"""|'''.*?(?<!\\)'''|"(?:[^"\\\n\r]|\\[^\n\r])*"|'(?:[^'\\\n\r]|\\[^\n\r])*')/sy;
const RAW = /[rR](?:""".*?"""|'''.*?'''|"[^"\n\r]*"|'[^'\n\r]*')/sy;
const SYMBOL = /\|\||&&|==|!=|<=|>=|[-+*/%!<>?:.,[\](){}]/y;

const KEYWORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

export function tokensIn(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += take(SPACE)?.length ?? 0;
    if (at >= text.length) return [...tokens, { kind: 'end', at }];
    const [token, length] = next(text, at, take);
    tokens.push(token);
    at += length;
  }
}

function next(text: string, at: number, take: (pattern: RegExp) => string | undefined): [Token, number] {
  const bytes = /^[bB][rR]?["']/.test(text.slice(at, at + 3));
  const string = bytes ? bytesAt(text, at) : (take(RAW) ?? take(STRING));
  if (string !== undefined) {
    const value = bytes ? unescapedBytes(string.slice(1)) : unescapedText(string);
    if (value === undefined) throw new CelUnworded(text, at, `Syntax error: token recognition error at: '${string}'`);
    return [{ kind: 'literal', value, at }, string.length];
  }
  const number = take(NUMBER);
  if (number !== undefined) return [{ kind: 'literal', value: numberIn(number), at }, number.length];
  const name = take(NAME);
  if (name !== undefined) return [wordOf(name, at), name.length];
  const symbol = take(SYMBOL);
  if (symbol !== undefined) return [{ kind: 'symbol', text: symbol, at }, symbol.length];
  throw new CelUnworded(text, at, `Syntax error: token recognition error at: '${text[at]}'`);
}

function bytesAt(text: string, at: number): string | undefined {
  const pattern = /[rR]/.test(text[at + 1] ?? '') ? RAW : STRING;
  pattern.lastIndex = at + 1;
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : `b${found}`;
}

function wordOf(name: string, at: number): Token {
  if (Object.hasOwn(KEYWORDS, name)) return { kind: 'literal', value: KEYWORDS[name] ?? null, at };
  if (name === 'in') return { kind: 'symbol', text: name, at };
  return { kind: 'name', text: name, at };
}

function numberIn(text: string): Literal {
  if (/[uU]$/.test(text)) return { uint: BigInt(text.slice(0, -1)) };
  return /^0[xX]/.test(text) || /^\d+$/.test(text) ? BigInt(text) : Number(text);
}

/** An expression of CEL as Kubernetes has it, ready to be evaluated any number of times. */

import { index, optionally, select } from './access.ts';
import type { Entry, Expression } from './ast.ts';
import { CelError, CelSyntaxError, CelUnsupported } from './cel-error.ts';
import { FUNCTIONS, METHODS, TYPES, UNSUPPORTED } from './library/library.ts';
import { type Compile, macro } from './macros.ts';
import { negate, operate } from './operators.ts';
import { parse } from './parser.ts';
import { type Code, Scope } from './scope.ts';
import { asBool, type CelValue, mapOf, noSuchOptional, Optional, Uint } from './values.ts';

export interface CelExpression {
  readonly text: string;
  /** Throws `CelError` where it has no value. */
  readonly evaluate: (values: Readonly<Record<string, CelValue>>) => CelValue;
}

/** Throws `CelSyntaxError` for what is no expression of these names, and `CelUnsupported` for what only Kubernetes knows. */
export function compileCel(text: string, names: readonly string[]): CelExpression {
  const code = new Compiler(text).compile(parse(text), names);
  return { text, evaluate: (values) => code(new Scope(Object.entries(values))) };
}

class Compiler {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  compile(expression: Expression, names: readonly string[]): Code {
    const inner: Compile = (each, more = []) => this.compile(each, [...names, ...more]);
    switch (expression.kind) {
      case 'literal': {
        const value = literal(expression.value);
        return () => value;
      }
      case 'name':
        return this.#name(expression, names);
      case 'select': {
        const target = inner(expression.target);
        const { field, optional } = expression;
        return (scope) => (optional ? optionally(target(scope), field) : select(target(scope), field));
      }
      case 'index': {
        const [target, key] = [inner(expression.target), inner(expression.key)];
        const take = expression.optional ? optionally : index;
        return (scope) => take(target(scope), key(scope));
      }
      case 'call':
        return macro(expression, inner, this.#text) ?? this.#call(expression, names, inner);
      case 'list':
        return list(expression.members, inner);
      case 'map':
        return map(expression.entries, inner);
      case 'unary': {
        const operand = inner(expression.operand);
        return (scope) => negate(expression.operator, operand(scope));
      }
      case 'binary':
        return binary(expression, inner);
      case 'condition': {
        const [test, yes, no] = [inner(expression.test), inner(expression.yes), inner(expression.no)];
        return (scope) => (asBool(test(scope)) ? yes(scope) : no(scope));
      }
    }
  }

  #name({ name, at }: Extract<Expression, { kind: 'name' }>, names: readonly string[]): Code {
    if (names.includes(name)) {
      return (scope) => {
        const value = scope.get(name);
        if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
        return value;
      };
    }
    const type = TYPES.get(name);
    if (type === undefined) throw this.#undeclared(name, at);
    return () => type;
  }

  #call(
    { name, target, args, at }: Extract<Expression, { kind: 'call' }>,
    names: readonly string[],
    inner: Compile,
  ): Code {
    const codes = args.map((each) => inner(each));
    const namespace = target?.kind === 'name' && !names.includes(target.name) ? target.name : undefined;
    const qualified = namespace === undefined ? name : `${namespace}.${name}`;
    if (UNSUPPORTED.has(qualified) || (target !== undefined && UNSUPPORTED.has(`.${name}`))) {
      throw new CelUnsupported(`the sandbox does not know the function ${qualified} of CEL`);
    }
    if (target === undefined || namespace !== undefined) {
      const called = FUNCTIONS.get(qualified);
      if (called === undefined) throw this.#undeclared(qualified, at);
      return (scope) => called(codes.map((code) => code(scope)));
    }
    const method = METHODS.get(name);
    if (method === undefined) throw this.#undeclared(name, at);
    const receiver = inner(target);
    return (scope) => method([receiver(scope), ...codes.map((code) => code(scope))]);
  }

  #undeclared(name: string, at: number): CelSyntaxError {
    return new CelSyntaxError(this.#text, at, `undeclared reference to '${name}' (in container '')`);
  }
}

const literal = (value: Extract<Expression, { kind: 'literal' }>['value']): CelValue =>
  typeof value === 'object' && value !== null && 'uint' in value ? new Uint(value.uint) : value;

function list(members: readonly Entry[], compile: Compile): Code {
  const codes = members.map(({ value, optional }) => ({ code: compile(value), optional }));
  return (scope) => codes.flatMap(({ code, optional }) => present(code(scope), optional));
}

function map(entries: readonly (Entry & { readonly key: Expression })[], compile: Compile): Code {
  const codes = entries.map(({ key, value, optional }) => ({ key: compile(key), code: compile(value), optional }));
  return (scope) =>
    mapOf(
      codes.flatMap(({ key, code, optional }) => {
        const at = key(scope);
        return present(code(scope), optional).map((value) => [at, value] as const);
      }),
    );
}

/** Wrapped, because a list may have lists as members. */
function present(value: CelValue, optional: boolean): readonly [CelValue] | readonly [] {
  if (!optional) return [value];
  if (!(value instanceof Optional)) throw noSuchOptional(value);
  return value.value === undefined ? [] : [value.value];
}

function binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>, compile: Compile): Code {
  const [a, b] = [compile(left), compile(right)];
  if (operator === '&&') return (scope) => decided(a, b, scope, false);
  if (operator === '||') return (scope) => decided(a, b, scope, true);
  return (scope) => operate(operator, a(scope), b(scope));
}

/** One side that decides makes up for the other having no value. If neither does, the left one's trouble is told. */
function decided(a: Code, b: Code, scope: Scope, deciding: boolean): boolean {
  const left = boolOrTrouble(a, scope);
  if (left === deciding) return deciding;
  if (typeof left === 'boolean') return asBool(b(scope));
  if (boolOrTrouble(b, scope) === deciding) return deciding;
  throw left;
}

function boolOrTrouble(code: Code, scope: Scope): boolean | CelError {
  try {
    return asBool(code(scope));
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

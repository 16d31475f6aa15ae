/**
 * What is wrong with an expression before it has met a value: fields that there are not, names that nobody knows, and operators on
 * types that they do not take. Where it does not know a type it says nothing.
 */
import type { Expression } from './ast.ts';
import { CelSyntaxError } from './cel-error.ts';
import { FUNCTIONS, METHODS, TYPES, UNSUPPORTED } from './library/library.ts';
import { overload, unaryOverload } from './overloads.ts';
import { parse } from './parser.ts';
import { CALLED, STRING_METHODS } from './static-results.ts';
import { BOOL, DYN, isScalar, STRING, type StaticType, scalar, typeText } from './static-types.ts';

export interface Checked {
  readonly type: StaticType;
  readonly faults: readonly CelSyntaxError[];
}

type Names = ReadonlyMap<string, StaticType>;
type Call = Extract<Expression, { kind: 'call' }>;

/** Throws `CelSyntaxError` for what is no expression at all. */
export function checkCel(text: string, names: Names): Checked {
  const checker = new Checker(text);
  const type = checker.typeOf(parse(text), names);
  return { type, faults: checker.faults };
}

class Checker {
  readonly faults: CelSyntaxError[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  typeOf(expression: Expression, names: Names): StaticType {
    switch (expression.kind) {
      case 'literal':
        return literalType(expression.value);
      case 'name':
        return this.#name(expression, names);
      case 'select':
        return this.#select(expression, names);
      case 'index':
        return this.#index(expression, names);
      case 'call':
        return this.#call(expression, names);
      case 'list': {
        const types = expression.members.map(({ value }) => this.typeOf(value, names));
        return { is: 'list', of: common(types) };
      }
      case 'map':
        for (const { key, value } of expression.entries) for (const each of [key, value]) this.typeOf(each, names);
        return DYN;
      case 'unary':
        return this.#result(expression.at, unaryOverload(expression.operator, this.typeOf(expression.operand, names)));
      case 'binary': {
        const [left, right] = [this.typeOf(expression.left, names), this.typeOf(expression.right, names)];
        return this.#result(expression.at, overload(expression.operator, left, right));
      }
      case 'condition': {
        this.typeOf(expression.test, names);
        return common([this.typeOf(expression.yes, names), this.typeOf(expression.no, names)]);
      }
    }
  }

  #fault(at: number, what: string): StaticType {
    this.faults.push(new CelSyntaxError(this.#text, at, what));
    return DYN;
  }

  #result(at: number, found: StaticType | string): StaticType {
    return typeof found === 'string' ? this.#fault(at, found) : found;
  }

  #undeclared(name: string, at: number): StaticType {
    return this.#fault(at, `undeclared reference to '${name}' (in container '')`);
  }

  #name({ name, at }: Extract<Expression, { kind: 'name' }>, names: Names): StaticType {
    return names.get(name) ?? (TYPES.has(name) ? DYN : this.#undeclared(name, at));
  }

  #select({ target, field, optional, at }: Extract<Expression, { kind: 'select' }>, names: Names): StaticType {
    const found = this.#field(this.typeOf(target, names), field, at);
    return optional && found.is !== 'optional' ? { is: 'optional', of: found } : found;
  }

  #field(type: StaticType, field: string, at: number): StaticType {
    switch (type.is) {
      case 'object':
        return type.fields.get(field) ?? this.#fault(at, `undefined field '${field}'`);
      case 'map':
        return type.of;
      case 'optional':
        return { is: 'optional', of: this.#field(type.of, field, at) };
      case 'scalar':
      case 'list': {
        const told = typeText(type);
        return told === undefined ? DYN : this.#fault(at, `type '${told}' does not support field selection`);
      }
      default:
        return DYN;
    }
  }

  #index({ target, key, optional }: Extract<Expression, { kind: 'index' }>, names: Names): StaticType {
    const type = this.typeOf(target, names);
    this.typeOf(key, names);
    const of = type.is === 'list' || type.is === 'map' ? type.of : DYN;
    return optional ? { is: 'optional', of } : of;
  }

  #call(call: Call, names: Names): StaticType {
    const { name, target, args, at } = call;
    if (target === undefined && name === 'has') return this.#has(call, names);
    if (target !== undefined && MACROS.has(name)) return this.#macro(call, target, names);
    const namespace = target?.kind === 'name' && !names.has(target.name) ? target.name : undefined;
    const qualified = namespace === undefined ? name : `${namespace}.${name}`;
    const given = args.map((each) => this.typeOf(each, names));
    if (target === undefined || namespace !== undefined) {
      if (!FUNCTIONS.has(qualified) && !UNSUPPORTED.has(qualified)) return this.#undeclared(qualified, at);
      return CALLED[qualified] ?? DYN;
    }
    const receiver = this.typeOf(target, names);
    if (!METHODS.has(name) && !UNSUPPORTED.has(`.${name}`)) return this.#undeclared(name, at);
    return this.#method(name, receiver, given, at);
  }

  #method(name: string, receiver: StaticType, given: readonly StaticType[], at: number): StaticType {
    if (STRING_METHODS.has(name) && receiver.is !== 'dyn' && !isScalar(receiver, 'string')) {
      const types = [receiver, ...given].map(typeText);
      const [told, ...rest] = types;
      if (types.every((each) => each !== undefined))
        return this.#fault(at, `found no matching overload for '${name}' applied to '${told}.(${rest.join(', ')})'`);
    }
    return CALLED[`.${name}`] ?? DYN;
  }

  #has({ args: [tested], at }: Call, names: Names): StaticType {
    if (tested?.kind === 'select') this.#field(this.typeOf(tested.target, names), tested.field, at);
    return BOOL;
  }

  #macro({ name, args }: Call, target: Expression, names: Names): StaticType {
    const range = this.typeOf(target, names);
    const variables = args.length > (SOLE[name] ?? 2) || name.startsWith('transform') ? 2 : 1;
    const bound = args.slice(0, variables).flatMap((each) => (each.kind === 'name' ? [each.name] : []));
    const inner = new Map([
      ...names,
      ...bound.map((each, index) => [each, memberOf(range, bound.length, index)] as const),
    ]);
    const parts = args.slice(variables).map((each) => this.typeOf(each, inner));
    if (TESTS.has(name)) return BOOL;
    if (name === 'filter') return range.is === 'map' ? { is: 'list', of: STRING } : range;
    return name === 'map' ? { is: 'list', of: parts.at(-1) ?? DYN } : DYN;
  }
}

const TESTS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne']);
const MACROS: ReadonlySet<string> = new Set([
  ...TESTS,
  ...['filter', 'map', 'transformList', 'transformMap', 'transformMapEntry', 'optMap', 'optFlatMap'],
]);
/** With more arguments than these, a macro has two names. */
const SOLE: Readonly<Record<string, number>> = { map: 3 };

function memberOf(range: StaticType, count: number, index: number): StaticType {
  if (range.is === 'optional') return range.of;
  if (range.is === 'list') return count === 2 && index === 0 ? scalar('int') : range.of;
  if (range.is === 'map') return count === 2 && index === 1 ? range.of : STRING;
  return DYN;
}

/** Of several: what all of them are, if they are the same. */
function common(types: readonly StaticType[]): StaticType {
  const [first = DYN] = types;
  const told = typeText(first);
  return told !== undefined && types.every((each) => typeText(each) === told) ? first : DYN;
}

function literalType(value: Extract<Expression, { kind: 'literal' }>['value']): StaticType {
  if (value === null) return scalar('null');
  if (value instanceof Uint8Array) return scalar('bytes');
  switch (typeof value) {
    case 'bigint':
      return scalar('int');
    case 'number':
      return scalar('double');
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    default:
      return scalar('uint');
  }
}

/** Macros: calls whose arguments are not all evaluated, or not once. */

import { isThere } from './access.ts';
import type { Expression } from './ast.ts';
import { CelError, CelSyntaxError, noSuchOverload } from './cel-error.ts';
import { type Code, Scope } from './scope.ts';
import { asBool, type CelValue, isCelList, isCelMap, mapOf, NONE, Optional, typeOf } from './values.ts';

type Call = Extract<Expression, { kind: 'call' }>;

/** Turns an expression into code, in which some more names are known. */
export type Compile = (expression: Expression, names?: readonly string[]) => Code;

/** The code of a macro; undefined for a call that is none. */
export function macro(call: Call, compile: Compile, text: string): Code | undefined {
  const { name, target, args } = call;
  if (target === undefined) return name === 'has' ? presence(call, compile, text) : undefined;
  if (name === 'optMap' || name === 'optFlatMap')
    return args.length === 2 ? mapped(call, target, compile, text) : undefined;
  const fold = FOLDS[name]?.[args.length];
  return fold && comprehension(call, target, fold, compile, text);
}

function presence({ args: [tested], at }: Call, compile: Compile, text: string): Code {
  if (tested?.kind !== 'select' || tested.optional)
    throw new CelSyntaxError(text, tested?.at ?? at, 'invalid argument to has() macro');
  const target = compile(tested.target);
  return (scope) => isThere(target(scope), tested.field);
}

function variable(expression: Expression | undefined, text: string): string {
  if (expression?.kind === 'name') return expression.name;
  throw new CelSyntaxError(text, expression?.at ?? 0, 'argument must be a simple name');
}

function mapped({ name, args: [first, body] }: Call, target: Expression, compile: Compile, text: string): Code {
  const element = variable(first, text);
  if (body === undefined) throw new CelSyntaxError(text, target.at, 'argument is missing');
  const [source, code] = [compile(target), compile(body, [element])];
  return (scope) => {
    const value = source(scope);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return NONE;
    const result = code(new Scope([[element, value.value]], scope));
    return name === 'optMap' ? new Optional(result) : result;
  };
}

/** A comprehension visits every member, with one name for it or two: for its place or key as well. */
interface Fold {
  readonly names: 1 | 2;
  readonly run: (visits: readonly Visit[]) => CelValue;
}

interface Visit {
  readonly key: CelValue;
  readonly value: CelValue;
  /** The arguments of the macro after the names. */
  readonly parts: readonly (() => CelValue)[];
}

function comprehension({ args }: Call, target: Expression, { names, run }: Fold, compile: Compile, text: string): Code {
  const variables = args.slice(0, names).map((each) => variable(each, text));
  const source = compile(target);
  const codes = args.slice(names).map((each) => compile(each, variables));
  return (scope) => {
    const range = source(scope);
    const visits = membersOf(range).map(([key, value]): Visit => {
      const single = isCelMap(range) ? key : value;
      const bound = names === 2 ? [key, value] : [single];
      const inner = new Scope(
        variables.map((each, i) => [each, bound[i] ?? null]),
        scope,
      );
      return { key, value: single, parts: codes.map((code) => () => code(inner)) };
    });
    return run(visits);
  };
}

/** What the server calls values that have no members. */
const GO_TYPES: Readonly<Record<string, string>> = {
  string: 'types.String',
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
  bool: 'types.Bool',
  null_type: 'types.Null',
};

function membersOf(range: CelValue): readonly (readonly [CelValue, CelValue])[] {
  if (isCelList(range)) return range.map((value, place) => [BigInt(place), value]);
  if (isCelMap(range)) return range.keys().map((key) => [key, range.get(key) ?? null]);
  throw new CelError(`got '${GO_TYPES[typeOf(range)] ?? typeOf(range)}', expected iterable type`);
}

const part = (visit: Visit, place = 0): CelValue => visit.parts[place]?.() ?? null;
const holds = (visit: Visit, place = 0): boolean => asBool(part(visit, place));

/** One that decides makes up for those that have no value. */
function decidedBy(visits: readonly Visit[], deciding: boolean): boolean {
  let trouble: unknown;
  for (const visit of visits) {
    try {
      if (holds(visit) === deciding) return deciding;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      trouble ??= error;
    }
  }
  if (trouble !== undefined) throw trouble;
  return !deciding;
}

const all = (visits: readonly Visit[]) => decidedBy(visits, false);
const exists = (visits: readonly Visit[]) => decidedBy(visits, true);
const existsOne = (visits: readonly Visit[]) => visits.filter((visit) => holds(visit)).length === 1;
const list = (visits: readonly Visit[]) => visits.map((visit) => part(visit));
const listOfSome = (visits: readonly Visit[]) => visits.filter((visit) => holds(visit)).map((visit) => part(visit, 1));
const filter = (visits: readonly Visit[]) => visits.filter((visit) => holds(visit)).map(({ value }) => value);
const map = (visits: readonly Visit[]) => mapOf(visits.map((visit) => [visit.key, part(visit)]));
const mapOfSome = (visits: readonly Visit[]) =>
  mapOf(visits.filter((visit) => holds(visit)).map((visit) => [visit.key, part(visit, 1)]));
const entries = (visits: readonly Visit[], place = 0) =>
  mapOf(
    visits.flatMap((visit) => {
      const entry = part(visit, place);
      if (!isCelMap(entry)) throw noSuchOverload();
      return entry.keys().map((key) => [key, entry.get(key) ?? null] as const);
    }),
  );
const entriesOfSome = (visits: readonly Visit[]) =>
  entries(
    visits.filter((visit) => holds(visit)),
    1,
  );

/** By name and number of arguments. */
const FOLDS: Readonly<Record<string, Readonly<Record<number, Fold>>>> = {
  all: { 2: { names: 1, run: all }, 3: { names: 2, run: all } },
  exists: { 2: { names: 1, run: exists }, 3: { names: 2, run: exists } },
  exists_one: { 2: { names: 1, run: existsOne } },
  existsOne: { 2: { names: 1, run: existsOne }, 3: { names: 2, run: existsOne } },
  map: { 2: { names: 1, run: list }, 3: { names: 1, run: listOfSome } },
  filter: { 2: { names: 1, run: filter } },
  transformList: { 3: { names: 2, run: list }, 4: { names: 2, run: listOfSome } },
  transformMap: { 3: { names: 2, run: map }, 4: { names: 2, run: mapOfSome } },
  transformMapEntry: { 3: { names: 2, run: entries }, 4: { names: 2, run: entriesOfSome } },
};

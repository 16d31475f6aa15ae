/** An expression with its macros written out, and its operators as the functions that they are: what types and costs are worked out on. */
import type { Expression, Literal } from './ast.ts';
import { CelSyntaxError, CelUnsupported } from './cel-error.ts';

export type Core = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'name'; readonly name: string }
  /** `tests` where it is only asked whether the field is there. */
  | { readonly kind: 'select'; readonly target: Core; readonly field: string; readonly tests: boolean }
  | { readonly kind: 'call'; readonly name: string; readonly target?: Core; readonly args: readonly Core[] }
  | { readonly kind: 'list'; readonly members: readonly CoreEntry[] }
  | { readonly kind: 'map'; readonly entries: readonly (CoreEntry & { readonly key: Core })[] }
  | Comprehension
);

interface CoreEntry {
  readonly value: Core;
  readonly optional: boolean;
}

/** Goes through the members of a range, and gathers something on the way. */
export interface Comprehension {
  readonly at: number;
  readonly kind: 'comprehension';
  readonly range: Core;
  readonly names: readonly string[];
  readonly gathered: string;
  readonly first: Core;
  readonly condition: Core;
  readonly step: Core;
  readonly result: Core;
}

/** What a macro gathers in. No expression can name it. */
export const GATHERED = '@result';

/** Throws `CelSyntaxError` for a macro that is none, and `CelUnsupported` for one that the sandbox does not have. */
export function coreOf(expression: Expression, text: string): Core {
  const core = (each: Expression): Core => coreOf(each, text);
  const { at } = expression;
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return expression;
    case 'select': {
      const { field, optional } = expression;
      const target = core(expression.target);
      if (!optional) return { kind: 'select', target, field, tests: false, at };
      return call(at, '_?._', target, { kind: 'literal', value: field, at });
    }
    case 'index':
      return call(at, expression.optional ? '_[?_]' : '_[_]', core(expression.target), core(expression.key));
    case 'call':
      return macro(expression, text) ?? plainCall(expression, core);
    case 'list':
      return { kind: 'list', members: expression.members.map((each) => ({ ...each, value: core(each.value) })), at };
    case 'map': {
      const entries = expression.entries.map((each) => ({ ...each, key: core(each.key), value: core(each.value) }));
      return { kind: 'map', entries, at };
    }
    case 'unary':
      return call(at, `${expression.operator}_`, core(expression.operand));
    case 'binary': {
      const name = expression.operator === 'in' ? '@in' : `_${expression.operator}_`;
      return call(at, name, core(expression.left), core(expression.right));
    }
    case 'condition':
      return call(at, '_?_:_', core(expression.test), core(expression.yes), core(expression.no));
  }
}

type Call = Extract<Expression, { kind: 'call' }>;

const call = (at: number, name: string, ...args: readonly Core[]): Core => ({ kind: 'call', name, args, at });

const plainCall = ({ name, target, args, at }: Call, core: (each: Expression) => Core): Core => ({
  kind: 'call',
  name,
  ...(target && { target: core(target) }),
  args: args.map(core),
  at,
});

function macro(made: Call, text: string): Core | undefined {
  const { name, target, args, at } = made;
  if (target === undefined) return name === 'has' ? presence(made, text) : undefined;
  if (name === 'sortBy') throw new CelUnsupported('the sandbox does not know the macro sortBy of CEL');
  const write = MACROS[name]?.[args.length];
  if (!write) return undefined;
  const counted = args.length - write.parts;
  const names = args.slice(0, counted).map((each) => {
    if (each.kind === 'name') return each.name;
    throw new CelSyntaxError(
      text,
      each.at,
      TAKEN_BY.has(name) ? 'argument is not an identifier' : 'argument must be a simple name',
    );
  });
  const parts = args.slice(counted).map((each) => coreOf(each, text));
  return write.write({ at, range: coreOf(target, text), names, parts });
}

/** Those that say it in other words. */
const TAKEN_BY: ReadonlySet<string> = new Set(['map', 'filter']);

function presence({ args: [tested], at }: Call, text: string): Core {
  if (tested?.kind !== 'select' || tested.optional)
    throw new CelSyntaxError(text, tested?.at ?? at, 'invalid argument to has() macro');
  return { kind: 'select', target: coreOf(tested.target, text), field: tested.field, tests: true, at };
}

interface Written {
  readonly at: number;
  readonly range: Core;
  readonly names: readonly string[];
  readonly parts: readonly Core[];
}

type Write = (written: Written) => Core;

const NOTHING: Core = { kind: 'literal', value: null, at: 0 };
const literal = (at: number, value: Literal): Core => ({ kind: 'literal', value, at });
const gathered = (at: number): Core => ({ kind: 'name', name: GATHERED, at });

function loop(
  { at, range, names }: Written,
  first: Core,
  step: Core,
  condition: Core = literal(at, true),
  result: Core = gathered(at),
): Core {
  return { kind: 'comprehension', at, range, names, gathered: GATHERED, first, condition, step, result };
}

const all: Write = (written) => {
  const { at, parts } = written;
  const step = call(at, '_&&_', gathered(at), parts[0] ?? NOTHING);
  return loop(written, literal(at, true), step, call(at, '@not_strictly_false', gathered(at)));
};

const exists: Write = (written) => {
  const { at, parts } = written;
  const step = call(at, '_||_', gathered(at), parts[0] ?? NOTHING);
  return loop(written, literal(at, false), step, call(at, '@not_strictly_false', call(at, '!_', gathered(at))));
};

const existsOne: Write = (written) => {
  const { at, parts } = written;
  const counted = call(at, '_+_', gathered(at), literal(at, 1n));
  const step = call(at, '_?_:_', parts[0] ?? NOTHING, counted, gathered(at));
  return loop(written, literal(at, 0n), step, literal(at, true), call(at, '_==_', gathered(at), literal(at, 1n)));
};

const list = (at: number, ...values: readonly Core[]): Core => ({
  kind: 'list',
  members: values.map((value) => ({ value, optional: false })),
  at,
});

const ifHeld = (at: number, test: Core | undefined, step: Core): Core =>
  test ? call(at, '_?_:_', test, step, gathered(at)) : step;

/** The last part is what is put in, the one before it says whether. */
const intoList: Write = (written) => {
  const { at, parts } = written;
  const put = call(at, '_+_', gathered(at), list(at, parts.at(-1) ?? NOTHING));
  return loop(written, list(at), ifHeld(at, parts.at(-2), put));
};

const filter: Write = (written) => {
  const { at, names, parts } = written;
  return intoList({ ...written, parts: [...parts, { kind: 'name', name: names[0] ?? '', at }] });
};

const intoMap =
  (isEntry: boolean): Write =>
  (written) => {
    const { at, names, parts } = written;
    const key: readonly Core[] = isEntry ? [] : [{ kind: 'name', name: names[0] ?? '', at }];
    const put = call(at, 'cel.@mapInsert', gathered(at), ...key, parts.at(-1) ?? NOTHING);
    return loop(written, { kind: 'map', entries: [], at }, ifHeld(at, parts.at(-2), put));
  };

const optionally =
  (isWrapped: boolean): Write =>
  ({ at, range, names, parts }) => {
    const of = (name: string): Core => ({ kind: 'call', name, target: range, args: [], at });
    const bound: Core = {
      kind: 'comprehension',
      at,
      range: list(at),
      names: ['#unused'],
      gathered: names[0] ?? '',
      first: of('value'),
      condition: literal(at, false),
      step: { kind: 'name', name: names[0] ?? '', at },
      result: parts[0] ?? NOTHING,
    };
    const some = isWrapped ? call(at, 'optional.of', bound) : bound;
    return call(at, '_?_:_', of('hasValue'), some, call(at, 'optional.none'));
  };

/** By name and number of arguments, how many of which come after the names. */
const MACROS: Readonly<Record<string, Readonly<Record<number, { readonly parts: number; readonly write: Write }>>>> = {
  all: { 2: { parts: 1, write: all }, 3: { parts: 1, write: all } },
  exists: { 2: { parts: 1, write: exists }, 3: { parts: 1, write: exists } },
  exists_one: { 2: { parts: 1, write: existsOne } },
  existsOne: { 2: { parts: 1, write: existsOne }, 3: { parts: 1, write: existsOne } },
  map: { 2: { parts: 1, write: intoList }, 3: { parts: 2, write: intoList } },
  filter: { 2: { parts: 1, write: filter } },
  transformList: { 3: { parts: 1, write: intoList }, 4: { parts: 2, write: intoList } },
  transformMap: { 3: { parts: 1, write: intoMap(false) }, 4: { parts: 2, write: intoMap(false) } },
  transformMapEntry: { 3: { parts: 1, write: intoMap(true) }, 4: { parts: 2, write: intoMap(true) } },
  optMap: { 2: { parts: 1, write: optionally(true) } },
  optFlatMap: { 2: { parts: 1, write: optionally(false) } },
};

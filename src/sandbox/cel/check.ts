/**
 * What is wrong with an expression before it has met a value: fields that there are not, names that nobody knows, and functions of
 * types that they do not take. In the words of the server, and by its rules.
 */
import type { Literal } from './ast.ts';
import { Bindings, isAnything, mostGeneral, substituted } from './bindings.ts';
import { CelSyntaxError } from './cel-error.ts';
import { type Comprehension, type Core, coreOf } from './core.ts';
import { DECLARED, type Overload } from './declarations.ts';
import { literalFaults } from './literal-faults.ts';
import { parse } from './parser.ts';
import {
  BOOL,
  DYN,
  ERROR,
  INT,
  isSame,
  listOf,
  mapOf,
  optionalOf,
  type ScalarName,
  STRING,
  type StaticType,
  scalar,
  typeText,
} from './static-types.ts';

export interface Checked {
  readonly root: Core;
  readonly type: StaticType;
  readonly faults: readonly CelSyntaxError[];
  /** The types of all its parts. */
  readonly types: ReadonlyMap<Core, StaticType>;
  /** What each call may come to: several where it depends on values. */
  readonly overloads: ReadonlyMap<Core, readonly Overload[]>;
}

type Names = ReadonlyMap<string, StaticType>;
type Call = Extract<Core, { kind: 'call' }>;

/** Throws `CelSyntaxError` for what is no expression at all. */
export function checkCel(text: string, names: Names): Checked {
  const root = coreOf(parse(text), text);
  const checker = new Checker();
  const type = checker.typeOf(root, names);
  const settled = checker.settled(type);
  const found = checker.faults.length > 0 ? checker.faults : literalFaults(root, settled.types);
  const faults = found
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, what }) => new CelSyntaxError(text, at, what));
  return { root, faults, ...settled };
}

/** The name of a type, as a value. */
const TYPE_NAMES: ReadonlyMap<string, StaticType> = new Map([
  ...'bool int uint double string bytes'.split(' ').map((name) => [name, scalar(name as ScalarName)] as const),
  ['null_type', scalar('null')],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['optional_type', optionalOf(DYN)],
  ['type', { is: 'type', of: DYN }],
]);

class Checker {
  readonly faults: { readonly at: number; readonly what: string }[] = [];
  readonly #bindings = new Bindings();
  readonly #types = new Map<Core, StaticType>();
  readonly #overloads = new Map<Core, readonly Overload[]>();

  settled(type: StaticType): Omit<Checked, 'root' | 'faults'> {
    const settled = (each: StaticType) => this.#bindings.settled(each);
    const types = new Map([...this.#types].map(([core, each]) => [core, settled(each)]));
    return { type: settled(type), types, overloads: this.#overloads };
  }

  typeOf(core: Core, names: Names): StaticType {
    const type = this.#found(core, names);
    this.#types.set(core, type);
    return type;
  }

  #found(core: Core, names: Names): StaticType {
    switch (core.kind) {
      case 'literal':
        return literalType(core.value);
      case 'name':
        return this.#name(core.name, core.at, names);
      case 'select': {
        const qualified = qualifiedName(core);
        const known = qualified === undefined ? undefined : names.get(qualified);
        if (known) return known;
        const found = this.#field(core.target, core.field, core.at, names);
        return core.tests ? BOOL : this.#bindings.known(found);
      }
      case 'call':
        return this.#call(core, names);
      case 'list':
        return this.#list(core, names);
      case 'map':
        return this.#map(core, names);
      case 'comprehension':
        return this.#comprehension(core, names);
    }
  }

  #fault(at: number, what: string): StaticType {
    this.faults.push({ at, what });
    return ERROR;
  }

  #mismatch(at: number, wanted: StaticType, found: StaticType): StaticType {
    return this.#fault(at, `expected type '${typeText(wanted)}' but found '${typeText(found)}'`);
  }

  #undeclared(name: string, at: number): StaticType {
    return this.#fault(at, `undeclared reference to '${name}' (in container '')`);
  }

  #name(name: string, at: number, names: Names): StaticType {
    const known = names.get(name);
    if (known) return known;
    const of = TYPE_NAMES.get(name);
    return of ? { is: 'type', of } : this.#undeclared(name, at);
  }

  /** Of what may be none it is none, too. */
  #field(target: Core, field: string, at: number, names: Names, optional = false): StaticType {
    const operand = this.#bindings.known(this.typeOf(target, names));
    const type = operand.is === 'optional' ? operand.of : operand;
    const found = this.#fieldOf(type, field, at);
    return optional || operand.is === 'optional' ? optionalOf(found) : found;
  }

  #fieldOf(type: StaticType, field: string, at: number): StaticType {
    switch (type.is) {
      case 'map':
        return type.of;
      case 'object':
        return type.fields?.get(field) ?? this.#fault(at, `undefined field '${field}'`);
      case 'open':
        this.#bindings.fit([DYN], [type]);
        return DYN;
      default:
        if (!isAnything(type)) this.#fault(at, `type '${typeText(type)}' does not support field selection`);
        return DYN;
    }
  }

  #call(call: Call, names: Names): StaticType {
    const { name, target, args, at } = call;
    if (name === '_?._') return this.#optionalField(call, names);
    for (const each of args) this.typeOf(each, names);
    if (target === undefined) return this.#resolved(call, name, at);
    const prefix = qualifiedName(target);
    if (prefix !== undefined && DECLARED.has(`${prefix}.${name}`))
      return this.#resolved(call, `${prefix}.${name}`, at, true);
    this.typeOf(target, names);
    return this.#resolved(call, name, at);
  }

  #optionalField(call: Call, names: Names): StaticType {
    const [operand, field] = call.args;
    if (!operand || field?.kind !== 'literal') return ERROR;
    const type = this.#bindings.known(this.#field(operand, String(field.value), call.at, names, true));
    this.#types.set(field, STRING);
    this.#overloads.set(call, [OPTIONAL_FIELD]);
    return type;
  }

  #resolved(call: Call, name: string, at: number, isQualified = false): StaticType {
    const declared = DECLARED.get(name);
    if (!declared) return this.#undeclared(name, at);
    const target = isQualified ? undefined : call.target;
    const given = [...(target ? [target] : []), ...call.args];
    const types = given.map((each) => this.#types.get(each) ?? ERROR);
    if (name === '_&&_' || name === '_||_') return this.#logical(call, declared, types);
    let result: StaticType | undefined;
    const matching: Overload[] = [];
    for (const overload of declared) {
      if (overload.isMethod !== (target !== undefined)) continue;
      const { takes, gives } = this.#fresh(overload);
      if (!this.#bindings.fit(types, takes)) continue;
      matching.push(overload);
      const found = this.#bindings.known(gives);
      result = result === undefined || isSame(result, found) ? found : DYN;
    }
    if (result === undefined) return this.#noOverload(name, at, types, target !== undefined);
    this.#overloads.set(call, matching);
    return result;
  }

  #logical(call: Call, declared: readonly Overload[], types: readonly StaticType[]): StaticType {
    const wrong = call.args.filter((each, index) => {
      const type = types[index] ?? ERROR;
      if (this.#bindings.fit([type], [BOOL])) return false;
      this.#mismatch(each.at, BOOL, this.#bindings.settled(type));
      return true;
    });
    this.#overloads.set(call, declared);
    return wrong.length > 0 ? ERROR : BOOL;
  }

  #noOverload(name: string, at: number, types: readonly StaticType[], isMethod: boolean): StaticType {
    const texts = types.map((each) => typeText(this.#bindings.settled(each)));
    const signature = isMethod ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
    return this.#fault(at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  /** Its open types are those of this call only. */
  #fresh({ takes, gives }: Overload): Pick<Overload, 'takes' | 'gives'> {
    const own = new Map(['A', 'B'].map((name) => [name, this.#bindings.open()]));
    const fresh = (type: StaticType) => substituted(own, type, false);
    return { takes: takes.map(fresh), gives: fresh(gives) };
  }

  #list({ members }: Extract<Core, { kind: 'list' }>, names: Names): StaticType {
    let all: StaticType | undefined;
    for (const { value, optional } of members) {
      const type = this.#member(value, optional, names);
      all = this.#joined(all, type);
    }
    return listOf(all ?? this.#bindings.open());
  }

  #map({ entries }: Extract<Core, { kind: 'map' }>, names: Names): StaticType {
    let [keys, values]: (StaticType | undefined)[] = [];
    for (const { key, value, optional } of entries) {
      keys = this.#joined(keys, this.typeOf(key, names));
      values = this.#joined(values, this.#member(value, optional, names));
    }
    return mapOf(keys ?? this.#bindings.open(), values ?? this.#bindings.open());
  }

  #member(value: Core, optional: boolean, names: Names): StaticType {
    const type = this.typeOf(value, names);
    if (!optional) return type;
    if (type.is === 'optional') return type.of;
    if (type.is !== 'dyn') this.#mismatch(value.at, optionalOf(type), type);
    return type;
  }

  #joined(all: StaticType | undefined, type: StaticType): StaticType {
    if (all === undefined) return type;
    return this.#bindings.fit([all], [type]) ? mostGeneral(all, type) : DYN;
  }

  #comprehension(core: Comprehension, names: Names): StaticType {
    const range = this.#bindings.known(this.typeOf(core.range, names));
    const gathered = this.typeOf(core.first, names);
    const outer = new Map([...names, [core.gathered, gathered] as const]);
    const types = this.#membersOf(range, core.names.length, core.range.at);
    const inner = new Map([...outer, ...core.names.map((name, index) => [name, types[index] ?? ERROR] as const)]);
    this.#expect(core.condition, BOOL, inner);
    this.#expect(core.step, gathered, inner);
    return this.#bindings.known(this.typeOf(core.result, outer));
  }

  #expect(core: Core, wanted: StaticType, names: Names): void {
    const found = this.typeOf(core, names);
    if (!this.#bindings.fit([wanted], [found])) this.#mismatch(core.at, wanted, found);
  }

  #membersOf(range: StaticType, count: number, at: number): readonly StaticType[] {
    switch (range.is) {
      case 'list':
        return count === 2 ? [INT, range.of] : [range.of];
      case 'map':
        return [range.key, range.of];
      case 'dyn':
      case 'error':
      case 'open':
        this.#bindings.fit([DYN], [range]);
        return [DYN, DYN];
      default: {
        const what = 'cannot be range of a comprehension (must be list, map, or dynamic)';
        this.#fault(at, `expression of type '${typeText(range)}' ${what}`);
        return [ERROR, ERROR];
      }
    }
  }
}

const OPTIONAL_FIELD: Overload = { id: '_?._', isMethod: false, takes: [DYN, STRING], gives: DYN };

/** `a.b.c`, where it is nothing but names. */
function qualifiedName(core: Core): string | undefined {
  if (core.kind === 'name') return core.name;
  if (core.kind !== 'select' || core.tests) return undefined;
  const prefix = qualifiedName(core.target);
  return prefix && `${prefix}.${core.field}`;
}

function literalType(value: Literal): StaticType {
  if (value === null) return scalar('null');
  if (value instanceof Uint8Array) return scalar('bytes');
  switch (typeof value) {
    case 'bigint':
      return INT;
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

/** What an expression may cost at most, estimated by the rules of the server. */
import type { Checked } from './check.ts';
import { type Comprehension, type Core, GATHERED } from './core.ts';
import { type CostNode, callCost } from './cost-of-calls.ts';
import { type Extent, either, fixed, MOST, NOTHING, ONE, product, sum, UNKNOWN } from './extent.ts';
import type { Sizes } from './sizes.ts';
import { isScalar, type StaticType } from './static-types.ts';

/** Of an expression without faults, about values of these sizes. */
export const costOf = (checked: Checked, root: Sizes): Extent => new Coster(checked, root).cost(checked.root);

/** How large keys and values are. */
interface Entries {
  readonly container: 'list' | 'map';
  readonly key: Extent;
  readonly value: Extent;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Extent | undefined;
  readonly entries: Entries | undefined;
}

type Call = Extract<Core, { kind: 'call' }>;

const LIST_COST = 10;
const MAP_COST = 30;

class Coster {
  readonly #checked: Checked;
  readonly #root: Sizes;
  readonly #sizes = new Map<Core, Extent>();
  readonly #entries = new Map<Core, Entries>();
  readonly #paths = new Map<Core, readonly string[]>();
  readonly #locals = new Map<string, readonly Local[]>();

  constructor(checked: Checked, root: Sizes) {
    this.#checked = checked;
    this.#root = root;
  }

  cost(core: Core): Extent {
    switch (core.kind) {
      case 'literal':
        return NOTHING;
      case 'name':
        this.#paths.set(core, this.#local(core.name)?.path ?? [core.name]);
        return ONE;
      case 'select':
        return this.#select(core);
      case 'call':
        return this.#call(core);
      case 'list': {
        const costs = core.members.map(({ value }) => this.cost(value));
        const value = this.#all(core.members.map((each) => each.value));
        this.#entries.set(core, { container: 'list', key: ONE, value });
        return sum(...costs, fixed(LIST_COST));
      }
      case 'map': {
        const costs = core.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
        const [key, value] = [this.#all(core.entries.map((e) => e.key)), this.#all(core.entries.map((e) => e.value))];
        this.#entries.set(core, { container: 'map', key, value });
        return sum(...costs, fixed(MAP_COST));
      }
      case 'comprehension':
        return core.gathered === GATHERED ? this.#comprehension(core) : this.#bind(core);
    }
  }

  /** Of any of them. */
  #all(cores: readonly Core[]): Extent {
    if (cores.length === 0) return NOTHING;
    return cores.map((each) => this.#sizeOrUnknown(each)).reduce(either);
  }

  #select(core: Extract<Core, { kind: 'select' }>): Extent {
    const inner = this.cost(core.target);
    if (core.tests) return inner;
    const { is } = this.#type(core.target);
    this.#paths.set(core, [...this.#path(core.target), core.field]);
    return is === 'map' || is === 'object' ? sum(inner, ONE) : inner;
  }

  #call(call: Call): Extent {
    const { name, target, args } = call;
    const costs = args.map((each) => this.cost(each));
    if (name === 'dyn') {
      const [argument] = args;
      if (argument) this.#same(call, argument);
      return sum(ONE, ...costs);
    }
    const overloads = this.#checked.overloads.get(call) ?? [];
    if (overloads.length === 0) return NOTHING;
    const isMethod = overloads.some((each) => each.isMethod);
    const before = isMethod && target ? this.cost(target) : NOTHING;
    const asked = {
      name: isMethod || !target ? name : nameOf(call),
      target: isMethod && target ? this.#node(target) : undefined,
      args: args.map((each) => this.#node(each)),
      costs,
    };
    let total: Extent = { min: MOST, max: 0 };
    let size: Extent | undefined;
    for (const overload of overloads) {
      const found = callCost({ ...asked, overload: overload.id });
      total = either(total, found.cost);
      if (found.size) size = size ? either(size, found.size) : found.size;
      size = this.#afterwards(call, overload.id) ?? size;
      size ??= this.#size(call);
    }
    if (size) this.#sizes.set(call, size);
    return sum(before, total);
  }

  /** What is known of the members of what a call gives. Of a member that is taken out, its size. */
  #afterwards(call: Call, overload: string): Extent | undefined {
    const [first, second, third] = call.args;
    const isList = overload === '_[_] (list(A), int) A';
    if (first && (isList || overload === '_[_] (map(A, B), A) B')) {
      this.#paths.set(call, [...this.#path(first), isList ? '@items' : '@values']);
      return this.#entriesOf(first)?.value;
    }
    const parts = overload.startsWith('_?_:_') ? [second, third] : IS_SUM.test(overload) ? [first, second] : [];
    const [one, other] = parts.map((each) => each && this.#entriesOf(each));
    if (one && other)
      this.#entries.set(call, { ...one, key: either(one.key, other.key), value: either(one.value, other.value) });
    return undefined;
  }

  #comprehension(core: Comprehension): Extent {
    const before = sum(this.cost(core.range), this.cost(core.first));
    this.#push(core.gathered, this.#localOf(core.first));
    const container = this.#entriesOf(core.range)?.container ?? this.#type(core.range).is;
    for (const [index, name] of core.names.entries()) this.#push(name, this.#member(core, container, index));
    const [condition, step] = [this.cost(core.condition), this.cost(core.step)];
    for (const name of core.names) this.#pop(name);
    const after = this.cost(core.result);
    this.#pop(core.gathered);
    const count = this.#sizeOrUnknown(core.range);
    if (core.first.kind === 'literal') this.#set(core, this.#size(core.first));
    else {
      this.#set(core, count);
      const entries = this.#entriesOf(core.step);
      if (entries) this.#entries.set(core, entries);
    }
    return sum(before, after, product(count, sum(step, condition)));
  }

  #member({ range, names }: Comprehension, container: string, index: number): Local {
    const entries = this.#entriesOf(range);
    const isValue = names.length === 2 ? index === 1 : container === 'list';
    const [values, keys] = container === 'list' ? ['@items', '@indices'] : ['@values', '@keys'];
    return {
      path: [...this.#path(range), isValue ? values : keys],
      size: isValue ? entries?.value : entries?.key,
      entries: undefined,
    };
  }

  /** One value with a name. */
  #bind(core: Comprehension): Extent {
    const before = sum(this.cost(core.range), this.cost(core.first));
    this.#push(core.gathered, this.#localOf(core.first));
    const after = this.cost(core.result);
    this.#pop(core.gathered);
    this.#same(core, core.result);
    return sum(before, after);
  }

  #same(core: Core, other: Core): void {
    this.#set(core, this.#size(other));
    const entries = this.#entriesOf(other);
    if (entries) this.#entries.set(core, entries);
  }

  #set(core: Core, size: Extent | undefined): void {
    if (size) this.#sizes.set(core, size);
  }

  #localOf = (core: Core): Local => ({
    path: this.#path(core),
    size: this.#size(core),
    entries: this.#entriesOf(core),
  });

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local]);
  }

  #pop(name: string): void {
    this.#locals.set(name, (this.#locals.get(name) ?? []).slice(0, -1));
  }

  #type(core: Core): StaticType {
    return this.#checked.types.get(core) ?? { is: 'dyn' };
  }

  #path(core: Core): readonly string[] {
    const local = core.kind === 'name' ? this.#local(core.name) : undefined;
    return local?.path ?? this.#paths.get(core) ?? [];
  }

  #node(core: Core): CostNode {
    const path = this.#path(core);
    const ofPath = (each: readonly string[]) => this.#sizeAt(each);
    return { core, type: this.#type(core), path: path[0] === GATHERED ? [] : path, size: this.#size(core), ofPath };
  }

  #sizeOrUnknown(core: Core): Extent {
    return this.#size(core) ?? UNKNOWN;
  }

  #size(core: Core): Extent | undefined {
    const known = this.#sizes.get(core) ?? written(core);
    if (known) return known;
    const found = this.#sizeAt(this.#path(core));
    if (found) {
      this.#sizes.set(core, found);
      return found;
    }
    if (isCounted(this.#type(core))) return ONE;
    return core.kind === 'name' ? this.#local(core.name)?.size : undefined;
  }

  #entriesOf(core: Core): Entries | undefined {
    return this.#entries.get(core) ?? (core.kind === 'name' ? this.#local(core.name)?.entries : undefined);
  }

  /** Every path begins at the value that the rule is about, whatever it is called. */
  #sizeAt(path: readonly string[]): Extent | undefined {
    if (path.length === 0) return undefined;
    let found: Sizes | undefined = this.#root;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') found = found?.of;
      else found = name === '@keys' ? found?.key : found?.fields?.get(name);
    }
    return found && { min: 0, max: found.most };
  }
}

const IS_SUM = /^_\+_ \((string|bytes|list)/;

const nameOf = ({ name, target }: Call): string => (target?.kind === 'name' ? `${target.name}.${name}` : name);

/** Of what stands in the expression itself. */
function written(core: Core): Extent | undefined {
  switch (core.kind) {
    case 'literal': {
      const { value } = core;
      if (typeof value === 'string') return fixed([...value].length);
      return fixed(value instanceof Uint8Array ? value.length : 1);
    }
    case 'list':
      return fixed(core.members.length);
    case 'map':
      return fixed(core.entries.length);
    default:
      return undefined;
  }
}

const isCounted = (type: StaticType): boolean =>
  type.is === 'optional'
    ? isCounted(type.of)
    : isScalar(type, 'bool', 'double', 'duration', 'int', 'timestamp', 'uint');

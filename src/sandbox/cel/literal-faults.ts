/** What is written out in an expression: times and patterns have to be some, and the members of a list of one type. */
import { CelError, CelUnsupported } from './cel-error.ts';
import type { Core } from './core.ts';
import { FUNCTIONS } from './library/library.ts';
import { DYN, isSame, type StaticType, typeText } from './static-types.ts';
import type { CelValue } from './values.ts';

interface Fault {
  readonly at: number;
  readonly what: string;
}

export function literalFaults(core: Core, types: ReadonlyMap<Core, StaticType>, isFree = false): readonly Fault[] {
  const isFormat = core.kind === 'call' && core.name === 'format';
  const inner = partsOf(core).flatMap((part) => literalFaults(part, types, isFree || isFormat));
  if (core.kind === 'call') return [...inner, ...argumentFaults(core)];
  return isFree ? inner : [...inner, ...memberFaults(core, types)];
}

function argumentFaults({ name, args, target }: Extract<Core, { kind: 'call' }>): readonly Fault[] {
  const [first, second] = args;
  if (name === 'matches' && !target && second && !isFineFor(name, second))
    throw new CelUnsupported('the sandbox does not say what is wrong with a pattern');
  return first && !isFineFor(name, first) ? [{ at: first.at, what: `invalid ${name} argument` }] : [];
}

function isFineFor(name: string, argument: Core): boolean {
  if (argument.kind !== 'literal' || typeof argument.value !== 'string') return true;
  const text = argument.value;
  const given: readonly CelValue[] | undefined = { duration: [text], timestamp: [text], matches: ['', text] }[name];
  if (!given) return true;
  try {
    FUNCTIONS.get(name)?.(given);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function memberFaults(core: Core, types: ReadonlyMap<Core, StaticType>): readonly Fault[] {
  const typeOf = (value: Core, optional: boolean): StaticType => {
    const type = types.get(value) ?? DYN;
    return optional && type.is === 'optional' ? type.of : type;
  };
  if (core.kind === 'list') {
    return different(
      core.members.map(({ value, optional }) => ({ at: value.at, type: typeOf(value, optional) })),
    ).slice(0, 1);
  }
  if (core.kind !== 'map') return [];
  return [
    ...different(core.entries.map(({ key }) => ({ at: key.at, type: typeOf(key, false) }))),
    ...different(core.entries.map(({ value, optional }) => ({ at: value.at, type: typeOf(value, optional) }))),
  ];
}

/** From the first. */
function different(all: readonly { readonly at: number; readonly type: StaticType }[]): readonly Fault[] {
  const [first, ...rest] = all;
  return rest.flatMap(({ at, type }) => {
    if (!first || isSame(first.type, type)) return [];
    return [{ at, what: `expected type '${typeText(first.type)}' but found '${typeText(type)}'` }];
  });
}

function partsOf(core: Core): readonly Core[] {
  switch (core.kind) {
    case 'select':
      return [core.target];
    case 'call':
      return [...(core.target ? [core.target] : []), ...core.args];
    case 'list':
      return core.members.map(({ value }) => value);
    case 'map':
      return core.entries.flatMap(({ key, value }) => [key, value]);
    case 'comprehension':
      return [core.range, core.first, core.condition, core.step, core.result];
    default:
      return [];
  }
}

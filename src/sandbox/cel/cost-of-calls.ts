/** What calls of functions may cost, and how large what they give may be. */
import type { Core } from './core.ts';
import { type Extent, either, fixed, MOST, ONE, product, scaled, sum, UNKNOWN } from './extent.ts';
import { isSame, isScalar, type StaticType, typeText } from './static-types.ts';

/** An argument of a call, as far as its size goes. */
export interface CostNode {
  readonly core: Core;
  readonly type: StaticType;
  /** Where its value is from, if it is from the value that the rule is about. */
  readonly path: readonly string[];
  readonly size: Extent | undefined;
  readonly ofPath: (path: readonly string[]) => Extent | undefined;
}

export interface CostedCall {
  readonly name: string;
  readonly overload: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  /** Of the arguments. */
  readonly costs: readonly Extent[];
}

interface Found {
  readonly cost: Extent;
  readonly size?: Extent;
}

/** To go through a text, letter by letter, and with a pattern. */
const TEXT = 0.1;
const PATTERN = 0.25;

export function callCost(call: CostedCall): Found {
  const own = extensionCost(call);
  if (own) return { ...own, cost: sum(own.cost, ...call.costs) };
  return operatorCost(call) ?? { cost: sum(ONE, ...call.costs) };
}

const sizeOf = ({ size, path, ofPath }: CostNode): Extent => size ?? ofPath(path) ?? UNKNOWN;
const plainSize = (node: CostNode | undefined): Extent => node?.size ?? UNKNOWN;

const SIMPLE: ReadonlySet<string> = new Set(
  [
    'serviceAccount path group resource subresource namespace name allowed reason error errored',
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named',
    'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch',
    'getScheme getHostname getHost getPort getEscapedPath getQuery',
  ].flatMap((line) => line.split(' ')),
);

/** What Kubernetes says of its functions, and of those that CEL has as extensions. */
function extensionCost(call: CostedCall): Found | undefined {
  const { name, target, args, overload } = call;
  const [first] = args;
  if (SIMPLE.has(name)) return { cost: ONE };
  switch (name) {
    case 'check':
      return { cost: fixed(350_000) };
    case 'fieldSelector':
    case 'labelSelector':
      return first && { cost: sum(scaled(sizeOf(first), TEXT), ONE) };
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target && { cost: searchCost(target) };
    case 'url':
      return first && { cost: scaled(sizeOf(first), TEXT), size: sizeOf(first) };
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return target && { cost: scaled(sizeOf(target), TEXT), size: sizeOf(target) };
    case 'replace':
      return replaceCost(call);
    case 'split':
      return target && { cost: scaled(sizeOf(target), 2 * TEXT), size: { min: 0, max: splitCount(target, args[1]) } };
    case 'join':
      return target && joinCost(target, first);
    case 'find':
    case 'findAll':
      return target && first && { cost: patternCost(target, first), size: { min: 0, max: sizeOf(target).max } };
    case 'ip':
      if (overload.includes('net.CIDR.()')) return { cost: ONE };
      return first && { cost: scaled(sizeOf(first), TEXT) };
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return first && { cost: scaled(sizeOf(first), TEXT) };
    case 'ip.isCanonical':
      return first && { cost: scaled(sizeOf(first), 2 * TEXT) };
    case 'containsIP':
    case 'containsCIDR':
      return first && { cost: containsCost(name, overload, first) };
    case 'validate':
      return first && { cost: scaled(scaled(sizeOf(first), TEXT), 128 * PATTERN) };
    case 'sets.contains':
    case 'sets.intersects':
      return setCost(args, 1);
    case 'sets.equivalent':
      return setCost(args, 2);
    case '_==_':
      return equalityCost(args);
    default:
      return listCost(call);
  }
}

function searchCost(target: CostNode): Extent {
  const element = elementOf(target);
  if (!element) return scaled(sizeOf(target), TEXT);
  const isText = isScalar(element.type, 'string', 'bytes');
  return product(sizeOf(target), isText ? sum(ONE, scaled(sizeOf(element), TEXT)) : ONE);
}

function elementOf(target: CostNode): CostNode | undefined {
  const { type, path } = target;
  if (type.is !== 'list') return undefined;
  return { ...target, type: type.of, path: path.length > 0 ? [...path, '@items'] : [], size: undefined };
}

function replaceCost({ target, args: [old, put] }: CostedCall): Found | undefined {
  if (!target || !old || !put) return undefined;
  const [whole, removed, added] = [sizeOf(target), sizeOf(old), sizeOf(put)];
  const most = replaced(whole.max, removed.min, removed.min === 0, added.max <= removed.min);
  const least = replaced(whole.min, removed.max, removed.max === 0, removed.max <= added.min);
  const count = { min: least.count, max: most.count };
  const size = sum(product(count, added), { min: least.kept, max: most.kept });
  return { cost: scaled(whole, 2 * TEXT), size };
}

function replaced(whole: number, part: number, isBetween: boolean, isNone: boolean): { count: number; kept: number } {
  if (isBetween) return { count: whole < MOST ? whole + 1 : whole, kept: whole };
  return isNone ? { count: 0, kept: whole } : { count: Math.ceil(whole / part), kept: 0 };
}

function splitCount(target: CostNode, limit: CostNode | undefined): number {
  const value = limit?.core.kind === 'literal' ? limit.core.value : undefined;
  return typeof value === 'bigint' ? Number(BigInt.asUintN(64, value)) : sizeOf(target).max;
}

function joinCost(target: CostNode, separator: CostNode | undefined): Found {
  const count = sizeOf(target);
  const element = elementOf(target);
  const parts = element ? product(count, sizeOf(element)) : fixed(0);
  const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
  const size = separator ? sum(parts, product(sizeOf(separator), between)) : parts;
  return { cost: scaled(size, TEXT), size };
}

const patternCost = (text: CostNode, pattern: CostNode): Extent =>
  product(scaled(sum(sizeOf(text), ONE), TEXT), scaled(sizeOf(pattern), PATTERN));

function containsCost(name: string, overload: string, given: CostNode): Extent {
  const address = { min: 4, max: 16 };
  const compared = scaled(sum(address, address), TEXT);
  const masked = name === 'containsCIDR' ? [scaled(address, TEXT), ONE] : [];
  return sum(compared, ...masked, ...(overload.includes('(string)') ? [scaled(sizeOf(given), TEXT)] : []));
}

function setCost([one, other]: readonly CostNode[], factor: number): Found | undefined {
  return one && other && { cost: sum(scaled(product(sizeOf(one), sizeOf(other)), factor), ONE) };
}

const AT_ONCE: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  ...'Authorizer PathCheck GroupCheck ResourceCheck Decision'
    .split(' ')
    .map((name) => `kubernetes.authorization.${name}`),
]);

function equalityCost([one, other]: readonly CostNode[]): Found | undefined {
  if (!one || !other || !isSame(one.type, other.type)) return undefined;
  const type = typeText(one.type);
  if (AT_ONCE.has(type)) return { cost: ONE };
  if (type === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: 64 }, TEXT) };
  return type === 'kubernetes.URL' ? { cost: scaled({ min: 1, max: other.size?.max ?? 1 }, TEXT) } : undefined;
}

/** Those that give a new list. */
function listCost({ name, target, args, overload }: CostedCall): Found | undefined {
  const made = (size: Extent, factor: number): Found => ({ cost: sum(scaled(size, factor), ONE, fixed(10)), size });
  if (name === 'lists.range') return made(fixed(numberIn(args[0], MOST)), 1);
  if (!target) return undefined;
  const size = sizeOf(target);
  switch (name) {
    case 'slice':
      return made(fixed(Math.max(0, numberIn(args[1], size.max) - numberIn(args[0], 0))), 1);
    case 'flatten':
      return made(size, args.length > 0 ? numberIn(args[0], MOST) : 1);
    case 'reverse':
      return overload.startsWith('reverse list') ? made(size, 1) : undefined;
    case 'distinct':
      return made(product(size, size), 2);
    case 'sort':
      return made(product(size, size), /list\((string|bytes)\)/.test(overload) ? 2 + TEXT : 2);
    default:
      return undefined;
  }
}

const numberIn = (node: CostNode | undefined, otherwise: number): number =>
  node?.core.kind === 'literal' && typeof node.core.value === 'bigint' ? Number(node.core.value) : otherwise;

/** What CEL itself has. */
function operatorCost({ name, overload, target, args, costs }: CostedCall): Found | undefined {
  const [first, second, third] = args;
  const plus = (cost: Extent, size?: Extent): Found => ({ cost: sum(cost, ...costs), ...(size && { size }) });
  switch (name) {
    case 'format':
      return plus(scaled(plainSize(target), TEXT));
    case 'bytes':
    case 'string':
      return conversionCost(overload, plainSize(first), plus);
    case 'strings.quote': {
      const { min, max } = plainSize(first);
      return plus(scaled(plainSize(first), TEXT), { min: min + 2, max: max * 2 + 2 });
    }
    case 'startsWith':
    case 'endsWith':
      return plus(scaled(plainSize(first), TEXT));
    case '@in':
      return overload.includes('list') ? plus(plainSize(second)) : undefined;
    case 'matches': {
      const [text, pattern] = target ? [target, first] : [first, second];
      const [length, regex] = [scaled(sum(plainSize(text), ONE), TEXT), scaled(plainSize(pattern), PATTERN)];
      return plus(product(length, regex));
    }
    case 'contains':
      return plus(product(scaled(plainSize(target), TEXT), scaled(plainSize(first), TEXT)));
    case '_&&_':
    case '_||_':
      return { cost: { min: costs[0]?.min ?? 0, max: sum(...costs).max } };
    case '_?_:_': {
      const [test = ONE, yes = ONE, no = ONE] = costs;
      return { cost: sum(test, either(yes, no)), size: either(plainSize(second), plainSize(third)) };
    }
    case '_+_': {
      const size = sum(plainSize(first), plainSize(second));
      if (overload.includes('(list')) return plus(ONE, size);
      return /\((string|bytes)/.test(overload) ? plus(scaled(size, TEXT), size) : undefined;
    }
    default:
      return isComparison(name, overload) ? plus(comparisonCost(plainSize(first), plainSize(second))) : undefined;
  }
}

function conversionCost(
  overload: string,
  size: Extent,
  plus: (cost: Extent, size: Extent) => Found,
): Found | undefined {
  if (overload === 'bytes (string) bytes') return plus(scaled(size, TEXT), { min: size.min, max: size.max * 4 });
  if (overload !== 'string (bytes) string') return undefined;
  return plus(scaled(size, TEXT), { min: Math.floor(size.min / 4), max: size.max });
}

const isComparison = (name: string, overload: string): boolean =>
  name === '_==_' || name === '_!=_' || (/^_[<>]=?_$/.test(name) && /\((string|bytes), \1\)/.test(overload));

function comparisonCost(one: Extent, other: Extent): Extent {
  const shorter = Math.min(one.max, other.max);
  return scaled({ min: shorter > 0 ? 1 : 0, max: shorter }, TEXT);
}

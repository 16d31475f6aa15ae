/** Every function of CEL as Kubernetes has it, with the types that it takes and gives. */
import { DYN, listOf, mapOf, optionalOf, type ScalarName, type StaticType, scalar } from './static-types.ts';

export interface Overload {
  /** `string.startsWith(string)`: what tells it from the others. */
  readonly id: string;
  readonly isMethod: boolean;
  /** Of a method, the first is what it is called on. */
  readonly takes: readonly StaticType[];
  readonly gives: StaticType;
}

const ORDERED = 'bool int uint double string bytes timestamp duration';
/** In the order of the server: what is not known yet is the first that fits. */
const SORTED = 'int uint double bool duration timestamp string bytes';
const COMPARED = [
  ...ORDERED.split(' ').map((type) => `(${type}, ${type}) bool`),
  ...['int, double', 'int, uint', 'uint, double', 'uint, int', 'double, int', 'double, uint'].map((t) => `(${t}) bool`),
];
const of = (types: string, write: (type: string) => string): readonly string[] => types.split(' ').map(write);
const PARTS_OF_TIME = 'getFullYear getMonth getDayOfYear getDayOfMonth getDate getDayOfWeek';
const PARTS_OF_BOTH = 'getHours getMinutes getSeconds getMilliseconds';
const FORMATS =
  'dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime';
const NUMBERS = 'int uint double';

/** A method has the type that it is called on before the dot. Single letters are open types. */
const SIGNATURES: Readonly<Record<string, readonly string[]>> = {
  '_?_:_': ['(bool, A, A) A'],
  '_&&_': ['(bool, bool) bool'],
  '_||_': ['(bool, bool) bool'],
  '!_': ['(bool) bool'],
  '@not_strictly_false': ['(bool) bool'],
  '_==_': ['(A, A) bool'],
  '_!=_': ['(A, A) bool'],
  '_<_': COMPARED,
  '_<=_': COMPARED,
  '_>_': COMPARED,
  '_>=_': COMPARED,
  '_+_': [
    ...of('bytes double duration', (type) => `(${type}, ${type}) ${type}`),
    '(duration, timestamp) timestamp',
    '(timestamp, duration) timestamp',
    ...of('int list(A) string uint', (type) => `(${type}, ${type}) ${type}`),
  ],
  '_-_': [
    ...of('double duration int uint', (type) => `(${type}, ${type}) ${type}`),
    '(timestamp, duration) timestamp',
    '(timestamp, timestamp) duration',
  ],
  '_*_': of(NUMBERS, (type) => `(${type}, ${type}) ${type}`),
  '_/_': of(NUMBERS, (type) => `(${type}, ${type}) ${type}`),
  '_%_': of('int uint', (type) => `(${type}, ${type}) ${type}`),
  '-_': of('int double', (type) => `(${type}) ${type}`),
  '_[_]': [
    '(list(A), int) A',
    '(map(A, B), A) B',
    '(optional(list(A)), int) optional(A)',
    '(optional(map(A, B)), A) optional(B)',
  ],
  '_[?_]': [
    '(list(A), int) optional(A)',
    '(optional(list(A)), int) optional(A)',
    '(map(A, B), A) optional(B)',
    '(optional(map(A, B)), A) optional(B)',
  ],
  '@in': ['(A, list(A)) bool', '(A, map(A, B)) bool'],
  'cel.@mapInsert': ['(map(A, B), map(A, B)) map(A, B)', '(map(A, B), A, B) map(A, B)'],
  size: of('string bytes list(A) map(A,B)', (type) => `(${type}) int`).concat(
    of('string bytes list(A) map(A,B)', (type) => `${type}.() int`),
  ),
  type: ['(A) type(A)'],
  dyn: ['(A) dyn'],
  bool: of('bool string', (type) => `(${type}) bool`),
  bytes: of('bytes string', (type) => `(${type}) bytes`),
  double: of('double int string uint', (type) => `(${type}) double`),
  duration: of('duration int string', (type) => `(${type}) duration`),
  int: of('int double duration string timestamp uint', (type) => `(${type}) int`),
  string: of('string bool bytes double duration int timestamp uint net.IP net.CIDR', (type) => `(${type}) string`),
  timestamp: of('timestamp int string', (type) => `(${type}) timestamp`),
  uint: of('uint double int string', (type) => `(${type}) uint`),
  ...Object.fromEntries(PARTS_OF_TIME.split(' ').map((name) => [name, ['timestamp.() int', 'timestamp.(string) int']])),
  ...Object.fromEntries(
    PARTS_OF_BOTH.split(' ').map((name) => [name, ['timestamp.() int', 'timestamp.(string) int', 'duration.() int']]),
  ),
  contains: ['string.(string) bool'],
  endsWith: ['string.(string) bool'],
  startsWith: ['string.(string) bool'],
  matches: ['(string, string) bool', 'string.(string) bool'],
  charAt: ['string.(int) string'],
  indexOf: ['string.(string) int', 'string.(string, int) int', 'list(A).(A) int'],
  lastIndexOf: ['string.(string) int', 'string.(string, int) int', 'list(A).(A) int'],
  join: ['list(string).() string', 'list(string).(string) string'],
  lowerAscii: ['string.() string'],
  upperAscii: ['string.() string'],
  trim: ['string.() string'],
  replace: ['string.(string, string) string', 'string.(string, string, int) string'],
  split: ['string.(string) list(string)', 'string.(string, int) list(string)'],
  substring: ['string.(int) string', 'string.(int, int) string'],
  format: ['string.(list(dyn)) string'],
  'strings.quote': ['(string) string'],
  find: ['string.(string) string'],
  findAll: ['string.(string) list(string)', 'string.(string, int) list(string)'],
  'sets.contains': ['(list(A), list(A)) bool'],
  'sets.equivalent': ['(list(A), list(A)) bool'],
  'sets.intersects': ['(list(A), list(A)) bool'],
  isSorted: of(SORTED, (type) => `list(${type}).() bool`),
  min: of(SORTED, (type) => `list(${type}).() ${type}`),
  max: of(SORTED, (type) => `list(${type}).() ${type}`),
  sum: of(`${NUMBERS} duration`, (type) => `list(${type}).() ${type}`),
  slice: ['list(A).(int, int) list(A)'],
  flatten: ['list(list(A)).() list(A)', 'list(dyn).(int) list(dyn)'],
  sort: of(SORTED, (type) => `list(${type}).() list(${type})`),
  reverse: ['list(A).() list(A)'],
  distinct: ['list(A).() list(A)'],
  'lists.range': ['(int) list(int)'],
  first: ['list(A).() optional(A)'],
  last: ['list(A).() optional(A)'],
  'optional.of': ['(A) optional(A)'],
  'optional.ofNonZeroValue': ['(A) optional(A)'],
  'optional.none': ['() optional(A)'],
  'optional.unwrap': ['(list(optional(A))) list(A)'],
  unwrapOpt: ['list(optional(A)).() list(A)'],
  value: ['optional(A).() A'],
  hasValue: ['optional(A).() bool'],
  or: ['optional(A).(optional(A)) optional(A)'],
  orValue: ['optional(A).(A) A'],
  url: ['(string) kubernetes.URL'],
  isURL: ['(string) bool'],
  ...Object.fromEntries(
    'getScheme getHost getHostname getPort getEscapedPath'
      .split(' ')
      .map((name) => [name, ['kubernetes.URL.() string']]),
  ),
  getQuery: ['kubernetes.URL.() map(string, list(string))'],
  quantity: ['(string) kubernetes.Quantity'],
  isQuantity: ['(string) bool'],
  sign: ['(kubernetes.Quantity) int'],
  isGreaterThan: of('kubernetes.Quantity kubernetes.Semver', (type) => `${type}.(${type}) bool`),
  isLessThan: of('kubernetes.Quantity kubernetes.Semver', (type) => `${type}.(${type}) bool`),
  compareTo: of('kubernetes.Quantity kubernetes.Semver', (type) => `${type}.(${type}) int`),
  asApproximateFloat: ['kubernetes.Quantity.() double'],
  asInteger: ['kubernetes.Quantity.() int'],
  isInteger: ['kubernetes.Quantity.() bool'],
  add: of('kubernetes.Quantity int', (type) => `kubernetes.Quantity.(${type}) kubernetes.Quantity`),
  sub: of('kubernetes.Quantity int', (type) => `kubernetes.Quantity.(${type}) kubernetes.Quantity`),
  semver: ['(string) kubernetes.Semver', '(string, bool) kubernetes.Semver'],
  isSemver: ['(string) bool', '(string, bool) bool'],
  major: ['kubernetes.Semver.() int'],
  minor: ['kubernetes.Semver.() int'],
  patch: ['kubernetes.Semver.() int'],
  ip: ['(string) net.IP', 'net.CIDR.() net.IP'],
  isIP: ['(string) bool'],
  'ip.isCanonical': ['(string) bool'],
  family: ['net.IP.() int'],
  ...Object.fromEntries(
    'isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast'
      .split(' ')
      .map((name) => [name, ['net.IP.() bool']]),
  ),
  cidr: ['(string) net.CIDR'],
  isCIDR: ['(string) bool'],
  containsIP: ['net.CIDR.(string) bool', 'net.CIDR.(net.IP) bool'],
  containsCIDR: ['net.CIDR.(string) bool', 'net.CIDR.(net.CIDR) bool'],
  prefixLength: ['net.CIDR.() int'],
  masked: ['net.CIDR.() net.CIDR'],
  ...Object.fromEntries(FORMATS.split(' ').map((name) => [`format.${name}`, ['() kubernetes.NamedFormat']])),
  'format.named': ['(string) optional(kubernetes.NamedFormat)'],
  validate: ['kubernetes.NamedFormat.(string) optional(list(string))'],
  path: ['kubernetes.authorization.Authorizer.(string) kubernetes.authorization.PathCheck'],
  group: ['kubernetes.authorization.Authorizer.(string) kubernetes.authorization.GroupCheck'],
  serviceAccount: ['kubernetes.authorization.Authorizer.(string, string) kubernetes.authorization.Authorizer'],
  resource: ['kubernetes.authorization.GroupCheck.(string) kubernetes.authorization.ResourceCheck'],
  ...Object.fromEntries(
    'subresource namespace name fieldSelector labelSelector'
      .split(' ')
      .map((name) => [
        name,
        ['kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck'],
      ]),
  ),
  check: of(
    'PathCheck ResourceCheck',
    (t) => `kubernetes.authorization.${t}.(string) kubernetes.authorization.Decision`,
  ),
  errored: ['kubernetes.authorization.Decision.() bool'],
  error: ['kubernetes.authorization.Decision.() string'],
  allowed: ['kubernetes.authorization.Decision.() bool'],
  reason: ['kubernetes.authorization.Decision.() string'],
};

/** Commas inside of brackets do not part. */
const parted = (list: string): readonly string[] => (list === '' ? [] : list.split(/,(?![^(]*\))\s*/));

function overloadOf(name: string, signature: string): Overload {
  const [head = '', rest = ''] = splitAtArguments(signature);
  const [, given = '', gives = ''] = /^\((.*)\) (.+)$/.exec(rest) ?? [];
  const takes = [...(head === '' ? [] : [head]), ...parted(given)];
  return { id: `${name} ${signature}`, isMethod: head !== '', takes: takes.map(typeIn), gives: typeIn(gives) };
}

/** What a method is called on, and what stands behind the dot. */
function splitAtArguments(signature: string): readonly [string, string] {
  if (signature.startsWith('(')) return ['', signature];
  const at = signature.indexOf('.(');
  return [signature.slice(0, at), signature.slice(at + 1)];
}

const SCALARS: ReadonlySet<string> = new Set([...ORDERED.split(' '), 'null']);

function typeIn(text: string): StaticType {
  const [, outer = '', inner = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  if (outer === 'map') {
    const [key = '', value = ''] = parted(inner);
    return mapOf(typeIn(key), typeIn(value));
  }
  if (outer === 'list') return listOf(typeIn(inner));
  if (outer === 'optional') return optionalOf(typeIn(inner));
  if (outer === 'type') return { is: 'type', of: typeIn(inner) };
  if (text === 'dyn') return DYN;
  if (SCALARS.has(text)) return scalar(text as ScalarName);
  return /^[A-Z]$/.test(text) ? { is: 'open', name: text } : { is: 'object', name: text };
}

export const DECLARED: ReadonlyMap<string, readonly Overload[]> = new Map(
  Object.entries(SIGNATURES).map(([name, all]) => [name, all.map((each) => overloadOf(name, each))]),
);

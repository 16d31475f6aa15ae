/** Functions that Kubernetes adds: quantities, URLs, addresses, names. */
import { isIP } from 'node:net';
import { InvalidValue } from '../../../kit/invalid-value.ts';
import { Quantity } from '../../../kit/quantity.ts';
import { dnsLabelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from '../../kinds/name-faults.ts';
import { CelError, noSuchOverload } from '../cel-error.ts';
import {
  type CelValue,
  type IpAddress,
  mapOf,
  type NamedFormat,
  NONE,
  Opaque,
  type OpaqueContent,
  Optional,
} from '../values.ts';
import { anything, type Library, opaque, taking, text } from './arguments.ts';

const isQuantity = (content: OpaqueContent): content is Quantity => content instanceof Quantity;
const isUrl = (content: OpaqueContent): content is URL => content instanceof URL;
const isAddress = (content: OpaqueContent): content is IpAddress => 'family' in content;
const isFormat = (content: OpaqueContent): content is NamedFormat => 'faults' in content;

const quantityAt = (args: readonly CelValue[], place: number) => opaque(args, place, isQuantity);
const WHOLE = 1_000_000_000n;

export const KUBERNETES_FUNCTIONS: Library = {
  quantity: taking([1], (args) => new Opaque('kubernetes.Quantity', readQuantity(text(args, 0)))),
  isQuantity: taking([1], (args) => isReadable(() => readQuantity(text(args, 0)))),
  sign: taking([1], (args) => BigInt(Math.sign(Number(quantityAt(args, 0).nano)))),
  url: taking([1], (args) => new Opaque('kubernetes.URL', readUrl(text(args, 0)))),
  isURL: taking([1], (args) => isReadable(() => readUrl(text(args, 0)))),
  ip: taking([1], (args) => new Opaque('net.IP', readAddress(text(args, 0)))),
  isIP: taking([1], (args) => isReadable(() => readAddress(text(args, 0)))),
  'optional.of': taking([1], (args) => new Optional(anything(args, 0))),
  'optional.none': taking([0], () => NONE),
  'optional.ofNonZeroValue': taking([1], (args) =>
    isZero(anything(args, 0)) ? NONE : new Optional(anything(args, 0)),
  ),
  'format.dns1123Label': named(dnsLabelFaults),
  'format.dns1123Subdomain': named(subdomainFaults),
  'format.qualifiedName': named(qualifiedNameFaults),
  'format.labelValue': named(labelValueFaults),
};

const optionalAt = (args: readonly CelValue[]): Optional => {
  const value = args[0];
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value;
};

export const KUBERNETES_METHODS: Library = {
  isGreaterThan: taking([2], (args) => quantityAt(args, 0).compare(quantityAt(args, 1)) > 0),
  isLessThan: taking([2], (args) => quantityAt(args, 0).compare(quantityAt(args, 1)) < 0),
  compareTo: taking([2], (args) => BigInt(quantityAt(args, 0).compare(quantityAt(args, 1)))),
  asInteger: taking([1], (args) => {
    const { nano } = quantityAt(args, 0);
    if (nano % WHOLE !== 0n) throw new CelError('cannot convert value to integer');
    return nano / WHOLE;
  }),
  asApproximateFloat: taking([1], (args) => Number(quantityAt(args, 0).nano) / Number(WHOLE)),
  isInteger: taking([1], (args) => quantityAt(args, 0).nano % WHOLE === 0n),
  sign: taking([1], (args) => BigInt(Math.sign(Number(quantityAt(args, 0).nano)))),
  add: taking([2], (args) => new Opaque('kubernetes.Quantity', quantityAt(args, 0).plus(amountAt(args, 1)))),
  sub: taking([2], (args) => new Opaque('kubernetes.Quantity', quantityAt(args, 0).minus(amountAt(args, 1)))),
  getScheme: taking([1], (args) => urlAt(args).protocol.replace(/:$/, '')),
  getHost: taking([1], (args) => urlAt(args).host),
  getHostname: taking([1], (args) => urlAt(args).hostname.replace(/^\[|\]$/g, '')),
  getPort: taking([1], (args) => urlAt(args).port),
  getEscapedPath: taking([1], (args) => urlAt(args).pathname),
  getQuery: taking([1], (args) => {
    const query = urlAt(args).searchParams;
    return mapOf([...new Set(query.keys())].map((key) => [key, query.getAll(key)] as const));
  }),
  family: taking([1], (args) => BigInt(opaque(args, 0, isAddress).family)),
  isLoopback: taking([1], (args) => /^(127\.|::1$)/.test(opaque(args, 0, isAddress).text)),
  isUnspecified: taking([1], (args) => /^(0\.0\.0\.0|::)$/.test(opaque(args, 0, isAddress).text)),
  validate: taking([2], (args) => {
    const faults = opaque(args, 0, isFormat).faults(text(args, 1));
    return faults.length === 0 ? NONE : new Optional(faults);
  }),
  hasValue: taking([1], (args) => optionalAt(args).value !== undefined),
  value: taking([1], (args) => {
    const { value } = optionalAt(args);
    if (value === undefined) throw new CelError('optional.none() dereference');
    return value;
  }),
  orValue: taking([2], (args) => optionalAt(args).value ?? anything(args, 1)),
  or: taking([2], (args) => (optionalAt(args).value === undefined ? anything(args, 1) : optionalAt(args))),
};

const urlAt = (args: readonly CelValue[]): URL => opaque(args, 0, isUrl);

function amountAt(args: readonly CelValue[], place: number): Quantity {
  const value = args[place];
  return typeof value === 'bigint' ? Quantity.ofBytes(value, 'DecimalSI') : quantityAt(args, place);
}

function named(faults: (value: string) => readonly string[]): Library[string] {
  return taking([0], () => new Opaque('kubernetes.NamedFormat', { faults }));
}

function readQuantity(value: string): Quantity {
  try {
    return Quantity.parse(value);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
}

function readUrl(value: string): URL {
  if (!URL.canParse(value))
    throw new CelError(
      `URL parse error during conversion from string: parse ${JSON.stringify(value)}: invalid URI for request`,
    );
  return new URL(value);
}

function readAddress(value: string): IpAddress {
  const family = isIP(value);
  if (family !== 4 && family !== 6)
    throw new CelError(`IP Address ${JSON.stringify(value)} parse error during conversion from string`);
  return { text: value, family };
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof CelError && error.message !== 'no such overload') return false;
    throw error;
  }
}

const isZero = (value: CelValue): boolean =>
  value === null ||
  value === false ||
  value === 0n ||
  value === 0 ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

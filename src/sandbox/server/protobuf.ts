/**
 * Objects that come as protobuf: kubectl and other programs in Go send so what they make themselves. They are read into the JSON that
 * they stand for. Answers are JSON, which all of them take, too.
 */
import type { Json, JsonMap } from '../json.ts';
import messages from './protobuf-fields.json' with { type: 'json' };
import { badRequest, notInSandbox } from './refusals.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** By number: the name, empty for one whose fields stand in its parent, and the type, after `[]` or `{}` for several. */
export type MessageFields = Readonly<Record<string, readonly [name: string, type: string]>>;

const MESSAGES = messages as unknown as Readonly<Record<string, MessageFields>>;
const MAGIC = Buffer.from('k8s\0');
const META = 'k8s.io.apimachinery.pkg.apis.meta.v1.';

/** The JSON of an object in the envelope in which all of them come. */
export function jsonOf(bytes: Buffer): string {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest('the body is not protobuf: it does not begin as it should');
  const envelope = fieldsIn(bytes.subarray(MAGIC.length));
  const [apiVersion, kind] = namesIn(last(envelope, 1));
  const message = messageFor(apiVersion, kind);
  if (!MESSAGES[message]) throw notInSandbox(`${kind} of ${apiVersion}`);
  return JSON.stringify({
    ...(apiVersion && { apiVersion }),
    kind,
    ...(decoded(message, last(envelope, 2)) as JsonMap),
  });
}

function namesIn(typeMeta: Buffer): readonly [string, string] {
  const fields = fieldsIn(typeMeta);
  return [last(fields, 1).toString('utf8'), last(fields, 2).toString('utf8')];
}

function messageFor(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions') return `${META}${kind}`;
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  return `k8s.io.api.${group.split('.')[0]}.${version}.${kind}`;
}

type Value = bigint | Buffer;

/** What stands in a message, by the numbers of the fields. */
function fieldsIn(bytes: Buffer): ReadonlyMap<number, readonly Value[]> {
  const reader = new Reader(bytes);
  const fields = new Map<number, Value[]>();
  while (!reader.atEnd) {
    const key = Number(reader.varint());
    const values = fields.get(key >>> 3) ?? [];
    fields.set(key >>> 3, values);
    values.push(reader.value(key & 7));
  }
  return fields;
}

function last(fields: ReadonlyMap<number, readonly Value[]>, number: number): Buffer {
  const value = fields.get(number)?.at(-1);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw badRequest('the body is not protobuf: a number does not end');
  }

  /** By its wire type. */
  value(type: number): Value {
    if (type === 0) return this.varint();
    if (type === 1) return this.#take(8);
    if (type === 2) return this.#take(Number(this.varint()));
    if (type === 5) return this.#take(4);
    throw badRequest(`the body is not protobuf: there is no wire type ${type}`);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw badRequest('the body is not protobuf: it ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

/** Types that JSON writes in a way of their own. */
const SPECIAL: Readonly<Record<string, (fields: ReadonlyMap<number, readonly Value[]>) => Json>> = {
  'k8s.io.apimachinery.pkg.api.resource.Quantity': (fields) => last(fields, 1).toString('utf8'),
  [`${META}Time`]: (fields) => timeOf(fields, 0),
  [`${META}MicroTime`]: (fields) => timeOf(fields, 6),
  [`${META}FieldsV1`]: (fields) => JSON.parse(last(fields, 1).toString('utf8')) as Json,
  'k8s.io.apimachinery.pkg.runtime.RawExtension': (fields) =>
    JSON.parse(last(fields, 1).toString('utf8') || 'null') as Json,
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': (fields) =>
    numberIn(fields, 1) === 0 ? numberIn(fields, 2) : last(fields, 3).toString('utf8'),
  'k8s.io.api.authorization.v1.ExtraValue': textsIn,
  'k8s.io.api.authentication.v1.ExtraValue': textsIn,
};

function textsIn(fields: ReadonlyMap<number, readonly Value[]>): Json {
  return (fields.get(1) ?? []).map((text) => (Buffer.isBuffer(text) ? text.toString('utf8') : String(text)));
}

function numberIn(fields: ReadonlyMap<number, readonly Value[]>, number: number): number {
  const value = fields.get(number)?.at(-1) ?? 0n;
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
}

/** Go writes the zero time as a date of the year 1, which means none. */
function timeOf(fields: ReadonlyMap<number, readonly Value[]>, digits: number): Json {
  const seconds = numberIn(fields, 1);
  if (seconds <= -62_135_596_800 || fields.size === 0) return null;
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  const fraction = digits === 0 ? '' : `.${String(numberIn(fields, 2)).padStart(9, '0').slice(0, digits)}`;
  return `${date}${fraction}Z`;
}

function decoded(message: string, bytes: Buffer): Json {
  const fields = fieldsIn(bytes);
  const special = SPECIAL[message];
  if (special) return special(fields);
  const known = MESSAGES[message] ?? {};
  const result: Record<string, Json> = {};
  for (const [number, values] of fields) {
    const [name, type] = known[number] ?? [];
    if (type === undefined) continue;
    const value = fieldOf(type, values);
    if (name === '') Object.assign(result, value);
    else if (name !== undefined && value !== null) result[name] = value;
  }
  return result;
}

function fieldOf(type: string, values: readonly Value[]): Json {
  if (type.startsWith('[]')) return values.map((value) => scalarOrMessage(type.slice(2), value));
  if (type.startsWith('{}')) return Object.fromEntries(values.map((value) => entryOf(type.slice(2), value)));
  const value = values.at(-1);
  return value === undefined ? null : scalarOrMessage(type, value);
}

/** Maps come as pairs of a key and a value. */
function entryOf(type: string, value: Value): [string, Json] {
  const fields = fieldsIn(Buffer.isBuffer(value) ? value : Buffer.alloc(0));
  return [last(fields, 1).toString('utf8'), fieldOf(type, fields.get(2) ?? [Buffer.alloc(0)])];
}

function scalarOrMessage(type: string, value: Value): Json {
  if (!Buffer.isBuffer(value)) return type === 'bool' ? value !== 0n : Number(BigInt.asIntN(64, value));
  if (type === 'string') return value.toString('utf8');
  if (type === 'bytes') return value.toString('base64');
  if (type === 'double') return value.readDoubleLE();
  return decoded(type, value);
}

/** How Go reads and writes the single values in built-in kinds: numbers of a size, amounts, times, bytes. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import { Quantity } from '../../kit/quantity.ts';
import type { Json } from '../json.ts';
import type { Schema } from './schema.ts';

interface Scalar {
  readonly value?: Json;
  /** The words of a type that reads itself. */
  readonly fault?: string;
  /** The type of Go that the value is not of. */
  readonly unfit?: string;
}

export function readScalar(value: Json, schema: Schema): Scalar {
  if (schema.intOrString) return readIntOrString(value);
  switch (schema.format) {
    case 'quantity':
      return readQuantity(value);
    case 'date-time':
      return typeof value === 'string' ? readTime(value, SECONDS) : { unfit: 'string' };
    case 'micro-time':
      return typeof value === 'string' ? readTime(value, MICROSECONDS) : { unfit: 'string' };
    case 'byte':
      return typeof value === 'string' ? readBytes(value) : { unfit: '[]uint8' };
    default:
      return readPlain(value, schema);
  }
}

function readPlain(value: Json, { type, format, goType }: Schema): Scalar {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? { value } : { unfit: goType ?? 'string' };
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { unfit: goType ?? 'bool' };
    case 'integer':
      return isInteger(value, format) ? { value } : { unfit: goType ?? format ?? 'int64' };
    case 'number':
      return typeof value === 'number' ? { value } : { unfit: goType ?? 'float64' };
    default:
      return { value };
  }
}

const isInteger = (value: Json, format: string | undefined): boolean =>
  typeof value === 'number' && Number.isInteger(value) && (format !== 'int32' || value === (value | 0));

function readIntOrString(value: Json): Scalar {
  return typeof value === 'string' || isInteger(value, 'int32') ? { value } : { unfit: 'int32' };
}

const QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function readQuantity(value: Json): Scalar {
  try {
    return { value: Quantity.parse(String(value)).toString() };
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    return {
      fault: /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/.test(String(value))
        ? "unable to parse quantity's suffix"
        : QUANTITY,
    };
  }
}

interface TimeForm {
  readonly layout: string;
  readonly shape: RegExp;
  /** Of a time that is written as it is read; most are. */
  readonly written: RegExp;
  readonly write: (time: Date, fraction: string) => string;
}

const DATE = '(\\d{4})-(\\d{2})-(\\d{2})T(\\d{2}):(\\d{2}):(\\d{2})';
const ZONE = '(?:Z|[+-]\\d{2}:\\d{2})';
/** Days that every month has. */
const PLAIN_DATE = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';

const SECONDS: TimeForm = {
  layout: '2006-01-02T15:04:05Z07:00',
  shape: new RegExp(`^${DATE}(?:[.,]\\d+)?${ZONE}$`),
  written: new RegExp(`^${PLAIN_DATE}Z$`),
  write: (time) => `${time.toISOString().slice(0, 19)}Z`,
};
const MICROSECONDS: TimeForm = {
  layout: '2006-01-02T15:04:05.000000Z07:00',
  shape: new RegExp(`^${DATE}\\.(\\d{6})${ZONE}$`),
  written: new RegExp(`^${PLAIN_DATE}\\.\\d{6}Z$`),
  write: (time, fraction) => `${time.toISOString().slice(0, 19)}.${fraction}Z`,
};

/** Of a text that is no time only the place of the first fault is told exactly, and that only where it is the first character. */
function readTime(text: string, { layout, shape, written, write }: TimeForm): Scalar {
  if (written.test(text)) return { value: text };
  const match = shape.exec(text);
  const time = new Date(text.replace(/[.,]\d+/, ''));
  if (match === null || Number.isNaN(time.getTime())) {
    return { fault: `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: ${timeFault(text, layout)}` };
  }
  return { value: write(time, match[7] ?? '') };
}

function timeFault(text: string, layout: string): string {
  const tail = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(text);
  const rest = tail === null ? text : text.slice(tail[0].length);
  const wanted = tail === null ? '2006' : layout.includes('.') ? '.000000' : 'Z07:00';
  return `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(wanted)}`;
}

function readBytes(text: string): Scalar {
  const plain = text.replace(/[\r\n]/g, '');
  const stranger = /[^A-Za-z0-9+/=]/.exec(plain) ?? (/^[^=]*={0,2}$/.test(plain) ? null : /=[^=]/.exec(plain));
  if (stranger !== null) return { fault: `illegal base64 data at input byte ${stranger.index}` };
  if (plain.length % 4 !== 0)
    return { fault: `illegal base64 data at input byte ${plain.length - (plain.length % 4)}` };
  return { value: Buffer.from(plain, 'base64').toString('base64') };
}

/** What is written for a value that never came. */
export function zeroScalar({ type, format, intOrString }: Schema): Json {
  if (format === 'quantity') return '0';
  if (format === 'date-time' || format === 'micro-time' || format === 'byte') return null;
  if (intOrString || type === 'integer' || type === 'number') return 0;
  return type === 'boolean' ? false : '';
}

/** The formats of texts that schemas of custom resources may ask for, as far as the sandbox knows them. */

const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  [
    'date-time',
    (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(text) && isDate(text),
  ],
  ['date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text)],
  ['uuid', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['byte', (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)],
  ['ipv4', (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)],
  ['password', () => true],
]);

/** Those of numbers are checked as numbers. */
const OF_NUMBERS = ['int32', 'int64', 'float', 'double'];

const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** Whether a text has a format. One that is known to nobody asks for nothing. */
export const hasFormat = (text: string, format: string): boolean =>
  OF_NUMBERS.includes(format) || (FORMATS.get(format)?.(text) ?? true);

/** Turns a line of JSON into lines that people read on a terminal: time, level, sentence, fields, and an error with its causes below. */
import { styleText } from 'node:util';
import { visible } from '../visible.ts';
import type { ErrorFields } from './error-fields.ts';

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Colours whether or not this process's own output is a terminal: whoever chooses it has looked. */
export const colours: Paint = (style, text) => styleText(style, text, { validateStream: false });
export const noColours: Paint = (_style, text) => text;

const LEVEL_STYLES = { trace: 'gray', debug: 'cyan', info: 'green', warn: 'yellow', error: 'red' } as const;

interface Line {
  readonly time: string;
  readonly level: keyof typeof LEVEL_STYLES;
  readonly msg?: string;
  readonly err?: ErrorFields;
  readonly [field: string]: unknown;
}

export function terminalLines(json: string, paint: Paint): string {
  const { time, level, msg = '', err, ...fields } = JSON.parse(json) as Line;
  const head = `${paint('gray', clockTime(time))} ${paint(LEVEL_STYLES[level], level.toUpperCase().padEnd(5))} ${visible(msg)}`;
  const rest = Object.entries(fields).map(([name, value]) => ` ${paint('gray', `${name}=`)}${fieldText(value)}`);
  return `${head}${rest.join('')}\n${err ? errorLines(err, paint) : ''}`;
}

/** The time of day in UTC; whoever watches a terminal knows the date. */
const clockTime = (time: string): string => time.slice(11);

const PLAIN = /^[\w./:@%+-]+$/;

function fieldText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return PLAIN.test(text) || typeof value !== 'string' ? visible(text) : visible(JSON.stringify(text));
}

function errorLines(error: ErrorFields, paint: Paint, label = ''): string {
  const facts = [error.code, error.status, error.reason].filter((fact) => fact !== undefined);
  const named = facts.length > 0 ? ` (${facts.join(' ')})` : '';
  const head = `    ${label}${paint('red', visible(error.type))}${visible(`${named}: ${error.message}`)}\n`;
  const causes = [
    ...(error.cause ? [errorLines(error.cause, paint, 'caused by ')] : []),
    ...(error.errors ?? []).map((each) => errorLines(each, paint, 'one of ')),
  ];
  return head + frames(error, paint) + causes.join('');
}

/** The stack without its first lines, which repeat the message. */
function frames({ stack = '' }: ErrorFields, paint: Paint): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => paint('gray', `      ${visible(line.trim())}\n`))
    .join('');
}

/** Where the next page of a list begins. Clients get it as a token that they do not look into. */
import { badRequest } from './refusals.ts';

export interface Position {
  /** What the list is a picture of; -1 when it may be as of now. */
  readonly revision: number;
  /** The last key that was shown. */
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';

/** The least key that comes after another is that one and this. */
export const END = '\u0000';

export const continuation = ({ revision, after }: Position): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `${after}${END}` })).toString('base64url');

export function positionIn(token: string): Position {
  const { v = '', rv, start } = read(token);
  if (v !== VERSION) throw invalidToken(`server does not recognize this encoded version ${v}`);
  if (typeof rv !== 'number' || typeof start !== 'string' || start === '')
    throw invalidToken(`encoded start key empty (version ${VERSION})`);
  return { revision: rv, after: start.endsWith(END) ? start.slice(0, -END.length) : start };
}

const invalidToken = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);

function read(token: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  const bytes = Buffer.from(token, 'base64url');
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw invalidToken(`invalid character '${characterOf(bytes[0] ?? 0)}' looking for beginning of value`);
  }
}

/** Go shows a byte that is no letter by its number. */
const characterOf = (byte: number): string =>
  byte >= 0x80 && byte < 0xa1 ? `\\u00${byte.toString(16)}` : String.fromCharCode(byte);

/** JSON that survives a round trip: integers too large for a JavaScript number are kept as they were written. */

/** Sixteen digits in a row may be an integer past 2^53. Most objects have none, and take the fast way. */
const MAY_HOLD_A_LARGE_INTEGER = /\d{16}/;

export function parseJson(text: string): unknown {
  if (!MAY_HOLD_A_LARGE_INTEGER.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepLargeInteger);
}

export const formatJson = (value: unknown): string => JSON.stringify(value);

function keepLargeInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? rawJson(context.source) : value;
}

/** `JSON.rawJSON` is in Node since version 22 but not yet in the library types. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

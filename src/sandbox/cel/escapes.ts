/** Escapes in the texts of an expression. */

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

const ESCAPE = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu;

/** What a text in quotes says; undefined where an escape in it is none. */
export function unescapedText(quoted: string): string | undefined {
  const raw = /^[rR]/.test(quoted);
  const inner = withoutQuotes(raw ? quoted.slice(1) : quoted);
  return raw ? inner : unescaped(inner, (code) => String.fromCodePoint(code));
}

/** Here `\x` and octal escapes are single bytes. */
export function unescapedBytes(quoted: string): Uint8Array | undefined {
  const raw = /^[rR]/.test(quoted);
  const inner = withoutQuotes(raw ? quoted.slice(1) : quoted);
  const text = raw ? inner : unescaped(inner, (code) => String.fromCodePoint(code));
  return text === undefined ? undefined : new TextEncoder().encode(text);
}

function withoutQuotes(quoted: string): string {
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  return quoted.slice(width, -width);
}

function unescaped(text: string, character: (code: number) => string): string | undefined {
  let isFine = true;
  const result = text.replace(
    ESCAPE,
    (_, hex?: string, short?: string, long?: string, octal?: string, simple?: string) => {
      const digits = hex ?? short ?? long;
      if (digits !== undefined) return character(Number.parseInt(digits, 16));
      if (octal !== undefined) return character(Number.parseInt(octal, 8));
      const known = simple === undefined ? undefined : SIMPLE[simple];
      if (known === undefined) isFine = false;
      return known ?? '';
    },
  );
  return isFine ? result : undefined;
}

/** The kernel writes a space, tab, newline, backslash or hash in a path of its tables as three octal digits. */

export function decodeOctalEscapes(text: string): string {
  return text.replace(/\\([01][0-7]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

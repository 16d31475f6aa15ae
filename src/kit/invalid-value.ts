/** The one error for a value that a person or another program wrote and that cannot be read. It says what was written and what is wrong with it. */

export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
  /** What it should have been, such as `quantity`. */
  readonly expected: string;
  /** Why it is none, without the value. */
  readonly why: string;

  constructor(expected: string, value: string, why: string) {
    super(`${quote(value)} is not a ${expected}: ${why}`);
    this.expected = expected;
    this.why = why;
  }
}

const LONGEST_QUOTE = 80;

/** Text from outside, safe to put into a message: in quotes, control characters escaped, cut when it is long. */
export function quote(text: string): string {
  if (text.length <= LONGEST_QUOTE) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, LONGEST_QUOTE))}… (${text.length} characters)`;
}

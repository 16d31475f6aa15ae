/** Why an expression has no value, or is none at all. */

/** Of a value that is not there, or of a type that an operation does not take. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

/** Of a text that is no expression, or that speaks of things that there are not. */
export class CelSyntaxError extends Error {
  override readonly name: string = 'CelSyntaxError';

  /** `at` counts characters from the beginning of the text. */
  constructor(text: string, at: number, what: string) {
    const before = text.slice(0, at).split('\n');
    const [line, column] = [before.length, before.at(-1)?.length ?? 0];
    const shown = text.split('\n')[line - 1] ?? '';
    super(`ERROR: <input>:${line}:${column + 1}: ${what}\n | ${shown}\n | ${'.'.repeat(column)}^`);
  }
}

/** Of a text that is no expression, and of which the server says more, or something else. */
export class CelUnworded extends CelSyntaxError {}

/** Of what Kubernetes knows and the sandbox does not. It refuses it rather than answer wrongly. */
export class CelUnsupported extends Error {
  override readonly name = 'CelUnsupported';
}

export const noSuchOverload = (): CelError => new CelError('no such overload');

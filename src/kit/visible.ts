/** Text from outside must not steer the terminal: control characters and those that turn the direction are spelt out. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is the point
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** On one line. */
export const visible = (text: string): string => text.replace(STEERING, spelt);

/** Lines stay lines. What JSON leaves as it is becomes what JSON reads as the same. */
export const visibleLines = (text: string): string =>
  text.replace(STEERING, (char) => (char === '\n' ? char : spelt(char)));

const spelt = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

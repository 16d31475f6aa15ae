/** How text from outside is shown in a message: in quotes, bounded, and spelt so that nothing steers a terminal or looks like what it is not. */
import { quote } from '../../kit/invalid-value.ts';

/** Beyond ASCII, letters look like others: a Cyrillic "е" in a name would be read as the Latin one. */
const NOT_PLAIN = /[^\x20-\x7e]/g;

/** `JSON.stringify` spells out some of them, and this the others in the same way. */
export const shown = (text: string): string => quote(text).replace(NOT_PLAIN, spelt);

const spelt = (char: string): string =>
  char === '…' ? '...' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** So that a long list of wrong things stays a message that can be read. */
const MOST_LISTED = 5;

export const listed = (items: readonly string[], most = MOST_LISTED): string =>
  items.length <= most ? items.join(', ') : `${items.slice(0, most).join(', ')} and ${items.length - most} more`;

/** What commands show people, before it is known on what: tables and sentences, which `render.ts` makes lines of. */

/** What a text says of itself where there are colours. Nothing is ever told by the colour alone. */
export type Tone = 'good' | 'warn' | 'bad' | 'dim' | 'strong';

export interface Toned {
  readonly text: string;
  readonly tone: Tone;
}

export type Text = string | Toned;

export interface Column {
  readonly head: string;
  /** Shown only with `-o wide`. */
  readonly isWide: true;
}

export interface Table {
  readonly title?: string;
  readonly columns: readonly (string | Column)[];
  /** A dash stands for what is empty. */
  readonly rows: readonly (readonly (Text | undefined)[])[];
}

/** Each is a line, or as many as it takes where lines have an end. */
export interface Sentences {
  readonly title?: string;
  readonly sentences: readonly Text[];
}

/** One without a title that has nothing to say is left out; under a title it says `none`. */
export type Block = Table | Sentences;
export type Page = readonly Block[];

export const wide = (head: string): Column => ({ head, isWide: true });

export const toned = (text: string, tone: Tone): Toned => ({ text, tone });

export const textOf = (text: Text): string => (typeof text === 'string' ? text : text.text);

/** What a code means that people meet in Events, conditions, reports and logs. Each job has a table of its own, with every code in it. */

/** Refused: a person has to act. Failed: it is tried again. Waits: it goes on by itself. News: it is only told. */
export type CodeKind = 'refused' | 'failed' | 'waits' | 'news';

export interface Explanation {
  readonly kind: CodeKind;
  /** What is so, as a sentence. */
  readonly means: string;
  /** Why it is refused, waited for or told, as a sentence. */
  readonly why: string;
  /** What to do, as a sentence. */
  readonly remedy: string;
}

/** An explanation together with the names that people may have for it. */
export interface Explained extends Explanation {
  readonly code: string;
  /** How else it is spelt: as the reason of an Event, of a condition. */
  readonly also: readonly string[];
}

export const refused = (means: string, why: string, remedy: string): Explanation => ({
  kind: 'refused',
  means: sentence(means),
  why: sentence(why),
  remedy: sentence(remedy),
});

export const failed = (means: string, why: string, remedy: string): Explanation => ({
  ...refused(means, why, remedy),
  kind: 'failed',
});

export const waits = (
  means: string,
  why: string,
  remedy = 'Nothing has to be done: it goes on by itself',
): Explanation => ({ ...refused(means, why, remedy), kind: 'waits' });

export const news = (means: string, why: string, remedy = 'Nothing has to be done'): Explanation => ({
  ...refused(means, why, remedy),
  kind: 'news',
});

/** All of a table, in its order. */
export const explainedOf = <Code extends string>(
  table: Readonly<Record<Code, Explanation>>,
  also: (code: Code) => readonly string[] = () => [],
): readonly Explained[] =>
  (Object.entries(table) as [Code, Explanation][]).map(([code, explanation]) => ({
    code,
    also: also(code).filter((name) => name !== code),
    ...explanation,
  }));

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;

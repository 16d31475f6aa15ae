/** Puts what was answered before into what is asked next: `{2.metadata.uid}`, `{1.items.0.metadata.name}`, `{case}`. */

export interface Known {
  readonly case: string;
  /** The bodies of the answers so far; the first is the namespace's, so that a case counts its steps from 1. */
  readonly answers: readonly unknown[];
}

const REFERENCE = /\{(case|\d+(?:\.[^{}]+)?)\}/g;

/** The same value with every reference in its strings, and in its keys, replaced. */
export function filled<T>(value: T, known: Known): T {
  return deep(value, (text) => text.replace(REFERENCE, (_, path: string) => lookUp(path, known))) as T;
}

/** The same in a URL. */
export const filledUrl = (url: string, known: Known): string =>
  url.replace(REFERENCE, (_, path: string) => encodeURIComponent(lookUp(path, known)));

function deep(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => deep(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), deep(each, change)]));
}

function lookUp(path: string, known: Known): string {
  if (path === 'case') return known.case;
  const [step = '', ...fields] = path.split('.');
  let found: unknown = known.answers[Number(step)];
  for (const field of fields) found = (found as Readonly<Record<string, unknown>> | undefined)?.[field];
  return typeof found === 'object' ? JSON.stringify(found) : String(found);
}

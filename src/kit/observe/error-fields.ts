/** An error as fields of a log line: what it is, what it says, and what caused it, all the way down. */

export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly status?: string | number;
  readonly reason?: string | number;
  readonly syscall?: string | number;
  readonly cause?: ErrorFields;
  /** Of an AggregateError. */
  readonly errors?: readonly ErrorFields[];
}

/** Only these of an error's own properties are told: others may hold a whole request with its credentials. */
const TOLD = ['code', 'status', 'reason', 'syscall'] as const;
const DEEPEST_CAUSE = 8;
const MOST_ERRORS = 10;

/** Anything can be thrown: what is no error is told as text. */
export function errorFields(thrown: unknown, depth = 0): ErrorFields {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: textOf(thrown) };
  const deeper = depth < DEEPEST_CAUSE;
  return {
    type: thrown.name,
    message: thrown.message,
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
    ...Object.fromEntries(TOLD.map((name) => [name, told(thrown, name)]).filter(([, value]) => value !== undefined)),
    ...(thrown.cause === undefined || !deeper ? {} : { cause: errorFields(thrown.cause, depth + 1) }),
    ...(thrown instanceof AggregateError && deeper ? { errors: errorsOf(thrown, depth) } : {}),
  };
}

const errorsOf = (aggregate: AggregateError, depth: number): ErrorFields[] =>
  aggregate.errors.slice(0, MOST_ERRORS).map((each: unknown) => errorFields(each, depth + 1));

function told(error: Error, name: (typeof TOLD)[number]): string | number | undefined {
  const value: unknown = (error as unknown as Record<string, unknown>)[name];
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function textOf(thrown: unknown): string {
  try {
    return typeof thrown === 'object' ? (JSON.stringify(thrown) ?? 'nothing') : String(thrown);
  } catch {
    return 'something that cannot be shown';
  }
}

/** What an API server answers when it does not do what was asked, as one error type with a reason that can be switched on. */

/** The reasons that Kubernetes itself uses, and `Unknown` for an answer without one that we know. */
const REASON_BY_STATUS = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
} as const;

export type ApiErrorReason =
  | (typeof REASON_BY_STATUS)[keyof typeof REASON_BY_STATUS]
  /** 409: an object of that name is there already. */
  | 'AlreadyExists'
  /** 410: the resourceVersion or continue token is older than what the server remembers. */
  | 'Expired'
  /** 500: the server could not do it in time; it says when to try again. */
  | 'ServerTimeout'
  | 'Unknown';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The method and path of what was asked. */
  readonly request: string;
  readonly status: number;
  readonly reason: ApiErrorReason;
  /** What the server said, without the request that it said it to. */
  readonly detail: string;
  readonly causes: readonly StatusCause[];
  /** When the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(options: {
    readonly request: string;
    readonly status: number;
    readonly reason: ApiErrorReason;
    readonly detail: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterMs?: number | undefined;
  }) {
    super(`${options.request}: ${options.status} ${options.reason}: ${options.detail}`);
    this.request = options.request;
    this.status = options.status;
    this.reason = options.reason;
    this.detail = options.detail;
    this.causes = options.causes ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Reads an error out of a response that may come from the API server (a Status object) or from something in front of it (any text). */
export function apiErrorFrom(request: string, status: number, body: string, retryAfter?: string): ApiError {
  return errorFrom(request, status, parseStatus(body), parseRetryAfter(retryAfter));
}

/** Reads an error out of a Status object, as a watch delivers it in an ERROR event. */
export const apiErrorFromStatus = (request: string, status: Status): ApiError => errorFrom(request, 500, status);

/** Whatever sits in front of the server may have written it: fields that are not what they should be are as if they were not there. */
function errorFrom(request: string, answered: number, status: Status, retryAfterMs?: number): ApiError {
  const { code: said, reason, message, details } = status as { readonly [field in keyof Status]?: unknown };
  const { retryAfterSeconds, causes } = Object(details) as { readonly [field: string]: unknown };
  const code = Number.isInteger(said) ? Number(said) : answered;
  return new ApiError({
    request,
    status: code,
    reason: reasonOf(code, reason),
    detail: typeof message === 'string' && message !== '' ? message : 'the server gave no message',
    causes: Array.isArray(causes) ? causes.filter((cause) => typeof cause === 'object' && cause !== null) : [],
    retryAfterMs: retryAfterMs ?? millisecondsOf(retryAfterSeconds),
  });
}

const millisecondsOf = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds * 1000) ? seconds * 1000 : undefined;

export interface Status {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly retryAfterSeconds?: number; readonly causes?: readonly StatusCause[] };
}

export const hasReason = (error: unknown, ...reasons: readonly ApiErrorReason[]): error is ApiError =>
  error instanceof ApiError && reasons.includes(error.reason);

/** Nothing, when it is forbidden. */
export async function allowed<T>(read: Promise<T>, otherwise: (error: ApiError) => void): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    otherwise(error);
    return undefined;
  }
}

const REASONS: ReadonlySet<string> = new Set([
  ...Object.values(REASON_BY_STATUS),
  'AlreadyExists',
  'Expired',
  'ServerTimeout',
]);

const isReason = (reason: string): reason is ApiErrorReason => REASONS.has(reason);

function reasonOf(code: number, reason: unknown): ApiErrorReason {
  if (typeof reason === 'string' && isReason(reason)) return reason;
  return (REASON_BY_STATUS as Record<number, ApiErrorReason>)[code] ?? 'Unknown';
}

const LONGEST_FOREIGN_TEXT = 200;

function parseStatus(body: string): Status {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isStatus(parsed)) return parsed;
  } catch {
    // Not JSON: a proxy's page, or nothing at all.
  }
  return { message: body.trim().slice(0, LONGEST_FOREIGN_TEXT) };
}

const isStatus = (value: unknown): value is Status =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';

/** Seconds, or an HTTP date, which is too coarse to be worth reading: then the usual backoff applies. */
function parseRetryAfter(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** What people want to know of a message is what the API server said, and not how it was asked. */
export const withoutRequest = (message: string): string => message.replace(REQUEST, '');

const REQUEST = /^[A-Z]+ \/\S*: (\d{3} \w+: )?/;

/** What the server answers when it does not do what was asked, in the words of a kube-apiserver. */
import { ApiError, type ApiErrorReason, type StatusCause } from '../../kit/kube/api-error.ts';
import { nameOf, type Resource } from '../../kit/kube/resource.ts';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A Status object, as it goes over the wire. */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

interface RefusalOptions {
  readonly code: number;
  /** Some failures of the server have none. */
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly metadata?: StatusBody['metadata'];
}

/** The kit's error, with the whole Status. */
export class Refusal extends ApiError {
  readonly body: StatusBody;

  constructor({ code, reason, message, details, metadata = {} }: RefusalOptions) {
    super({
      request: 'sandbox',
      status: code,
      reason: (reason ?? 'Unknown') as ApiErrorReason,
      detail: message,
      causes: details?.causes ?? [],
    });
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    };
  }
}

const namedBy = ({ group, plural }: Resource, name: string): StatusDetails => ({
  ...(name && { name }),
  ...(group && { group }),
  kind: plural,
});

export const notFound = (resource: Resource, name: string): Refusal =>
  new Refusal({
    code: 404,
    reason: 'NotFound',
    message: `${nameOf(resource)} "${name}" not found`,
    details: namedBy(resource, name),
  });

export const noSuchResource = (): Refusal =>
  new Refusal({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });

export const methodNotAllowed = (): Refusal =>
  new Refusal({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

export const alreadyExists = (resource: Resource, name: string, isGoing: boolean): Refusal =>
  new Refusal({
    code: 409,
    reason: 'AlreadyExists',
    message: `${isGoing ? 'object is being deleted: ' : ''}${nameOf(resource)} "${name}" already exists`,
    details: namedBy(resource, name),
  });

/** Of a write that names what it is based on. */
export const conflict = (resource: Resource, name: string, why: string): Refusal =>
  new Refusal({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${nameOf(resource)} "${name}": ${why}`,
    details: namedBy(resource, name),
  });

export const modified = (resource: Resource, name: string): Refusal =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

/** Deletion calls a resource by its kind. */
export const preconditionFailed = ({ group, kind }: Resource, name: string, why: string): Refusal =>
  new Refusal({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${group ? `${kind}.${group}` : kind} "${name}": ${why}`,
    details: { name, ...(group && { group }), kind },
  });

export const badRequest = (message: string): Refusal => new Refusal({ code: 400, reason: 'BadRequest', message });

/** The server's own checks that it has no better word for. */
export const failed = (message: string): Refusal => new Refusal({ code: 500, message });

export const unsupportedMediaType = (): Refusal =>
  new Refusal({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} });

/** Of a body that is no patch. */
export const unknownFormat = (): Refusal =>
  new Refusal({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${MEDIA_TYPES}`,
  });

const MEDIA_TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** Of an answer that the client does not want as anything that there is. */
export const notAcceptable = (more = ''): Refusal =>
  new Refusal({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\nAvailable representations: ${MEDIA_TYPES}${more}`,
    details: {},
  });

/** Of an answer in a form that there is not. */
export const noSuchForm = (): Refusal =>
  new Refusal({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${MEDIA_TYPES}`,
  });

export const tooLargeBody = (most: number): Refusal =>
  new Refusal({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${most}`,
  });

/** Told by the storage, which calls an object by its key. */
export const otherUid = (resource: Resource, name: string, key: string, asked: string, actual: string): Refusal =>
  conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${asked}, UID in object meta: ${actual}`,
  );

/** All that is wrong with an object. The sentence names each fault once, the causes as often as it was found. */
export function invalid(
  { group, kind }: Pick<Resource, 'group' | 'kind'>,
  name: string,
  causes: readonly StatusCause[],
): Refusal {
  const sentences = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const what = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return new Refusal({
    code: 422,
    reason: 'Invalid',
    message: `${group ? `${kind}.${group}` : kind} "${name}" is invalid: ${what}`,
    details: { ...(name && { name }), ...(group && { group }), ...(kind && { kind }), causes },
  });
}

export const forbidden = (resource: Resource, name: string, why: string, causes?: readonly StatusCause[]): Refusal => {
  const what = name ? `${nameOf(resource)} "${name}"` : nameOf(resource);
  const details = { ...namedBy(resource, name), ...(causes && { causes }) };
  return new Refusal({ code: 403, reason: 'Forbidden', message: `${what} is forbidden: ${why}`, details });
};

/** To a watch or a list that wants to go on from where nobody remembers. With a token, a list can go on as of now. */
export function expired(message: string, token?: string): Refusal {
  const metadata = token === undefined ? {} : { continue: token };
  return new Refusal({ code: 410, reason: 'Expired', message, metadata });
}

export const tooLargeVersion = (asked: number, current: number): Refusal =>
  new Refusal({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });

/** A real cluster could do it. */
export const notInSandbox = (what: string): Refusal =>
  new Refusal({
    code: 501,
    reason: 'NotImplemented',
    message: `the sandbox has no ${what}: docs/sandbox.md says what it leaves out`,
  });

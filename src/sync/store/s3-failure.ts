/** What the errors of the S3 SDK mean. */
import { type Explanation, explainRefusal, explainSilence, type Refusal } from './remote-failure.ts';
import type { StoreFault } from './store.ts';

/** Where the status says something else, or nothing. */
const KNOWN: Readonly<Record<string, StoreFault>> = {
  NoSuchBucket: 'noBucket',
  InvalidBucketName: 'noBucket',
  ExpiredToken: 'denied',
  InvalidToken: 'denied',
  TokenRefreshRequired: 'denied',
  AuthorizationHeaderMalformed: 'denied',
  /** The SDK corrects its clock by the answer. */
  RequestTimeTooSkewed: 'unavailable',
  RequestTimeout: 'unavailable',
  IncompleteBody: 'unavailable',
  BadDigest: 'unavailable',
  XAmzContentSHA256Mismatch: 'unavailable',
  /** Another conditional write to it came at the same time, and this one was not done. */
  ConditionalRequestConflict: 'preconditionFailed',
  /** An object that must be what it was, and is not there. */
  NoSuchKey: 'preconditionFailed',
};

export function explainS3(error: unknown): Explanation {
  if (error instanceof Error && error.name === 'CredentialsProviderError') return NO_CREDENTIALS;
  const refusal = refusalOf(error);
  if (refusal === undefined) return explainSilence(error);
  const { fault, why } = explainRefusal(refusal, KNOWN);
  return { fault, why: ELSEWHERE.has(refusal.code) ? `${why}: AWS_REGION may have to name another region` : why };
}

const NO_CREDENTIALS: Explanation = {
  fault: 'denied',
  why: 'OBJECT_STORAGE_ACCOUNT and OBJECT_STORAGE_SECRET are not set, and there are no credentials where AWS keeps them',
};

const ELSEWHERE = new Set(['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed']);

/** What the server has answered; nothing when it has not. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof Error && '$metadata' in error)) return undefined;
  const { httpStatusCode: status } = error.$metadata as { readonly httpStatusCode?: number };
  if (status === undefined || status < 300) return undefined;
  const code = /^[A-Za-z0-9]+$/.test(error.name) && !/^(UnknownError|\d+)$/.test(error.name) ? error.name : '';
  return { status, code, message: error.message === 'UnknownError' ? '' : error.message };
}
